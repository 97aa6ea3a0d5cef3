import { describe, expect, it } from 'vitest';
import { monthlyCosts, priceProblemText, readPriceList } from './price-list.ts';

const needs = {
  servers: 3,
  volumes: 4,
  volumeBytes: 100 * 1024 ** 3,
  vcpus: 8,
  memoryMb: 16 * 1024,
  nics: 3,
  unknownVms: 0,
};

describe('a price list', () => {
  it('is a CSV file whose prices by the hour are those of a month of 730 hours', () => {
    const list = readPriceList(
      'item,per,price,currency\nvcpu,hour,0.01,EUR\nmemory_gib,month,2.5,EUR\nvolume_gib,month,0.08,EUR\n',
    );
    expect(list).toEqual({ perMonth: { vcpu: 7.3, memory_gib: 2.5, volume_gib: 0.08 }, currency: 'EUR', problems: [] });
    expect(monthlyCosts(needs, list)).toEqual([
      { item: 'vcpu', amount: 8, perMonth: 58.4 },
      { item: 'memory_gib', amount: 16, perMonth: 40 },
      { item: 'volume_gib', amount: 100, perMonth: 8 },
    ]);
  });

  it('takes what a spreadsheet writes in other countries', () => {
    expect(readPriceList('\uFEFFItem;Per;Price\r\nserver;month;12,5\r\n')).toEqual({
      perMonth: { server: 12.5 },
      currency: '',
      problems: [],
    });
  });

  it.each([
    ['item,per,price\nserver,month,"1,234"\nvcpu,month,"2,000.50"\n', { server: 1234, vcpu: 2000.5 }],
    [
      'item;per;price\nserver;month;1.234\nvcpu;month;2.000,50\nnic;month;0,125\n',
      { server: 1234, vcpu: 2000.5, nic: 0.125 },
    ],
    ['item;per;price\nserver;month;1,234\n', { server: 1.234 }],
    ['item\tper\tprice\nserver\tmonth\t1.234\nvcpu\tmonth\t0.034\n', { server: 1.234, vcpu: 0.034 }],
    ['item;per;price\nserver;month;1 234,5\n', { server: 1234.5 }],
    ['item,per,price\nserver,month,"0,034"\n', { server: 0.034 }],
  ])('reads thousands and decimals of %j as they are meant', (csv, perMonth) => {
    expect(readPriceList(csv)).toEqual({ perMonth, currency: '', problems: [] });
  });

  it('takes a line without a currency as one in that of the others', () => {
    expect(readPriceList('item,per,price,currency\nserver,month,1,EUR\nnic,month,1,\n')).toEqual({
      perMonth: { server: 1, nic: 1 },
      currency: 'EUR',
      problems: [],
    });
  });

  it('says what is wrong with which line, and takes the others', () => {
    const list = readPriceList(
      'item,per,price,currency\ndisk,month,1,EUR\nvcpu,week,1,EUR\nvcpu,hour,,EUR\nnic,month,1,EUR\nserver,month,1,USD\n',
    );
    expect({ ...list, problems: list.problems.map(priceProblemText) }).toEqual({
      perMonth: { nic: 1 },
      currency: 'EUR',
      problems: [
        'line 2: item must be server, vcpu, memory_gib, volume_gib, nic',
        'line 3: per must be hour or month',
        'line 4: price must be a number',
        'line 6: all prices must have the currency EUR',
      ],
    });
    expect(readPriceList('').problems.map(priceProblemText)).toEqual(['the file has no prices']);
  });
});
