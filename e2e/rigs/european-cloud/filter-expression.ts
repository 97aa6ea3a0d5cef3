import { badRequest } from '../cloud-kit/call.ts';

type Fields = Readonly<Record<string, string | number>>;
type Predicate = (fields: Fields) => boolean;

/**
 * The part of the filter language that machine types are asked with: comparisons of a field with a number or a quoted
 * string (`== != < <= > >= contains startsWith endsWith`), `&&`/`and`, `||`/`or`, `!`/`not`, parentheses.
 */
export function parseFilter(text: string): Predicate {
  const tokens = text.match(/"[^"]*"|'[^']*'|&&|\|\||[!=<>]=|[<>!()]|[A-Za-z_]\w*|\d+(?:\.\d+)?|\S/g) ?? [];
  let position = 0;
  const peek = (): string | undefined => tokens[position];
  const next = (): string => {
    const token = tokens[position];
    if (token === undefined) throw badRequest('filter ends too early');
    position += 1;
    return token;
  };

  function disjunction(): Predicate {
    let left = conjunction();
    while (peek() === '||' || peek() === 'or') {
      next();
      const [first, second] = [left, conjunction()];
      left = (fields) => first(fields) || second(fields);
    }
    return left;
  }

  function conjunction(): Predicate {
    let left = negation();
    while (peek() === '&&' || peek() === 'and') {
      next();
      const [first, second] = [left, negation()];
      left = (fields) => first(fields) && second(fields);
    }
    return left;
  }

  function negation(): Predicate {
    if (peek() === '!' || peek() === 'not') {
      next();
      const inner = negation();
      return (fields) => !inner(fields);
    }
    if (peek() === '(') {
      next();
      const inner = disjunction();
      if (next() !== ')') throw badRequest('filter lacks a closing parenthesis');
      return inner;
    }
    return comparison();
  }

  function comparison(): Predicate {
    const field = next();
    const operator = next();
    const literal = next();
    const wanted = /^["']/.test(literal) ? literal.slice(1, -1) : Number(literal);
    if (typeof wanted === 'number' && Number.isNaN(wanted)) throw badRequest(`filter has no value but ${literal}`);
    return (fields) => {
      const value = fields[field];
      if (value === undefined) throw badRequest(`filter names the unknown field ${field}`);
      return compare(value, operator, wanted);
    };
  }

  const predicate = disjunction();
  if (position < tokens.length) throw badRequest(`filter is not understood at ${String(peek())}`);
  return predicate;
}

function compare(value: string | number, operator: string, wanted: string | number): boolean {
  if (typeof value !== typeof wanted) throw badRequest('filter compares a number with a string');
  switch (operator) {
    case '==':
      return value === wanted;
    case '!=':
      return value !== wanted;
    case '<':
      return value < wanted;
    case '<=':
      return value <= wanted;
    case '>':
      return value > wanted;
    case '>=':
      return value >= wanted;
    case 'contains':
      return String(value).includes(String(wanted));
    case 'startsWith':
      return String(value).startsWith(String(wanted));
    case 'endsWith':
      return String(value).endsWith(String(wanted));
    default:
      throw badRequest(`filter has the unknown operator ${operator}`);
  }
}
