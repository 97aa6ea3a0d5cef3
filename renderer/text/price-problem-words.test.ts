import { expect, test } from 'vitest';
import { readPriceList } from '../../shared/reports/price-list.ts';
import { priceProblemWords } from '../features/waves/price-problem-words.ts';
import { waves as german } from './de/waves.ts';

const { problems } = readPriceList(
  'item,per,price,currency\ndisk,month,1,EUR\nvcpu,week,1,EUR\nvcpu,hour,,EUR\nnic,month,1,EUR\nserver,month,1,USD\n',
);

test('what is wrong with a price list is said in the language of the page', () => {
  expect(problems.map((problem) => priceProblemWords(problem))).toEqual([
    'Line 2: item must be server, vcpu, memory_gib, volume_gib, nic.',
    'Line 3: per must be hour or month.',
    'Line 4: price must be a number.',
    'Line 6: all prices must have the currency EUR.',
  ]);
  expect(problems.map((problem) => priceProblemWords(problem, german.estimate.priceProblems as never))).toEqual([
    'Zeile 2: item muss server, vcpu, memory_gib, volume_gib, nic sein.',
    'Zeile 3: per muss hour oder month sein.',
    'Zeile 4: price muss eine Zahl sein.',
    'Zeile 6: Alle Preise müssen die Währung EUR haben.',
  ]);
});
