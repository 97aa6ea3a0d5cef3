import { pricedItems, type PriceProblem } from '../../../shared/reports/price-list.ts';
import { text } from '../../text/text.ts';

const words = text.waves.estimate.priceProblems;

/** What is wrong with a line of a price list, in the page's language; keys are as the file has to have them. */
export function priceProblemWords(problem: PriceProblem, of: typeof words = words): string {
  if (problem.kind === 'empty') return of.empty;
  const what =
    problem.kind === 'currency'
      ? of.currency(problem.currency)
      : problem.kind === 'item'
        ? of.item(pricedItems.join(', '))
        : of[problem.kind];
  return of.line(problem.line, what);
}
