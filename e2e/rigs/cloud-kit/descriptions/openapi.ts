import type { ApiDescription, DescribedAnswer, DescribedRequest, Findings } from './description.ts';
import { Schemas } from './schemas.ts';
import type { Json, SchemaOptions } from './schemas.ts';

const json = ['content', 'application/json', 'schema'];

/** A description in OpenAPI 3.0. */
export function openApiDescription(document: Json, options: SchemaOptions = {}): ApiDescription {
  const schemas = new Schemas(document, options);
  const operationPath = ({ pathTemplate, method }: { pathTemplate: string; method: string }): string[] => [
    'paths',
    pathTemplate,
    method.toLowerCase(),
  ];

  return {
    checkRequest(request: DescribedRequest): Findings {
      const { found, problems } = schemas.operation(operationPath(request), request.operation);
      if (found === undefined) return { problems, checked: 0 };
      const shared = (schemas.at(['paths', request.pathTemplate])?.['parameters'] ?? []) as Json[];
      problems.push(...schemas.queryProblems([...shared, ...((found['parameters'] ?? []) as Json[])], request.query));
      const path = [...schemas.follow([...operationPath(request), 'requestBody']), ...json];
      const schema = schemas.at(path);
      if (schema === undefined) {
        // Other content than JSON is the operation's own affair.
        if (request.body !== undefined && found['requestBody'] === undefined)
          problems.push('has a request body, the operation takes none');
        return { problems, checked: 0 };
      }
      if (request.body === undefined) return { problems: [...problems, 'lacks its request body'], checked: 0 };
      problems.push(
        ...schemas.problems(path, request.body, 'request'),
        ...schemas.nameProblems(schema, request.body, 'request'),
      );
      return { problems, checked: 1 };
    },

    checkAnswer(answer: DescribedAnswer): Findings {
      const { found, problems } = schemas.operation(operationPath(answer), answer.operation);
      if (found === undefined) return { problems, checked: 0 };
      const listed = (status: string): readonly string[] =>
        schemas.follow([...operationPath(answer), 'responses', status]);
      const own = listed(String(answer.status));
      const path = schemas.at(own) === undefined ? listed('default') : own;
      if (schemas.at(path) === undefined) {
        if (answer.status < 500) problems.push(`answered ${answer.status}, which the operation does not list`);
        return { problems, checked: 0 };
      }
      if (schemas.at([...path, ...json]) === undefined) return { problems, checked: 0 };
      return {
        problems: [...problems, ...schemas.problems([...path, ...json], answer.body, `answer ${answer.status}`)],
        checked: 1,
      };
    },
  };
}
