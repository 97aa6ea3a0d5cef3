import type { ApiDescription, DescribedAnswer, DescribedRequest, Findings } from './description.ts';
import { Schemas } from './schemas.ts';
import type { Json, SchemaOptions } from './schemas.ts';

/**
 * A description in Swagger 2, as Azure publishes its own: bodies are parameters, `basePath` comes before every path, and
 * parts are often in documents beside it. `beside` has those that there are, by the name that references give them.
 */
export function swaggerDescription(
  document: Json,
  options: SchemaOptions = {},
  beside: Readonly<Record<string, Json>> = {},
): ApiDescription {
  const schemas = new Schemas(mergeDocuments(document, beside), { readOnlyInRequests: true, ...options });
  const basePath = String(document['basePath'] ?? '').replace(/\/$/, '');
  const operationPath = ({ pathTemplate, method }: { pathTemplate: string; method: string }): string[] => [
    'paths',
    basePath !== '' && pathTemplate.startsWith(basePath) ? pathTemplate.slice(basePath.length) : pathTemplate,
    method.toLowerCase(),
  ];

  return {
    checkRequest(request: DescribedRequest): Findings {
      const { found, problems } = schemas.operation(operationPath(request), request.operation);
      if (found === undefined) return { problems, checked: 0 };
      const lists = [
        [...operationPath(request).slice(0, 2), 'parameters'],
        [...operationPath(request), 'parameters'],
      ];
      const parameters = lists.flatMap((list) =>
        ((schemas.at(list) ?? []) as unknown as Json[]).map((_, index) => schemas.follow([...list, String(index)])),
      );
      problems.push(
        ...schemas.queryProblems(
          parameters.map((path) => schemas.at(path)),
          request.query,
        ),
      );
      const bodyPath = parameters.find((path) => schemas.at(path)?.['in'] === 'body');
      if (bodyPath === undefined) {
        if (request.body !== undefined) problems.push('has a request body, the operation takes none');
        return { problems, checked: 0 };
      }
      const parameter = schemas.at(bodyPath);
      if (request.body === undefined)
        return {
          problems: parameter?.['required'] === true ? [...problems, 'lacks its request body'] : problems,
          checked: 0,
        };
      const path = schemas.follow([...bodyPath, 'schema']);
      problems.push(
        ...schemas.problems(path, request.body, 'request'),
        ...schemas.nameProblems(schemas.at(path), request.body, 'request'),
      );
      return { problems, checked: 1 };
    },

    checkAnswer(answer: DescribedAnswer): Findings {
      const { found, problems } = schemas.operation(operationPath(answer), answer.operation);
      if (found === undefined) return { problems, checked: 0 };
      const listed = (status: string): readonly string[] =>
        schemas.follow([...operationPath(answer), 'responses', status]);
      const own = listed(String(answer.status));
      const isError = answer.status >= 400;
      const path = schemas.at(own) === undefined && isError ? listed('default') : own;
      if (schemas.at(path) === undefined) {
        if (answer.status < 500) problems.push(`answered ${answer.status}, which the operation does not list`);
        return { problems, checked: 0 };
      }
      const schema = schemas.at([...path, 'schema']);
      if (schema === undefined || schema['type'] === 'file') return { problems, checked: 0 };
      return {
        problems: [...problems, ...schemas.problems([...path, 'schema'], answer.body, `answer ${answer.status}`)],
        checked: 1,
      };
    },
  };
}

/** One document: what the others have is under `beside`, and references lead there. */
function mergeDocuments(document: Json, beside: Readonly<Record<string, Json>>): Json {
  const names = Object.keys(beside);
  // References are relative paths; the file's name tells the documents apart.
  const indexOf = (file: string): number =>
    names.findIndex((name) => name.split('/').at(-1) === file.split('/').at(-1));
  const relink = (value: unknown, own: number): unknown => {
    if (Array.isArray(value)) return value.map((item) => relink(item, own));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]): [string, unknown] => {
        if (key !== '$ref' || typeof inner !== 'string') return [key, relink(inner, own)];
        const [file = '', pointer = ''] = inner.split('#');
        const target = file === '' ? own : indexOf(file);
        if (target < 0) return [key, inner];
        return [key, target === names.length ? `#${pointer}` : `#/beside/${target}${pointer}`];
      }),
    );
  };
  const whole = relink(document, names.length) as Json;
  return {
    ...whole,
    beside: Object.fromEntries(names.map((name, index) => [String(index), relink(beside[name], index)])),
  };
}
