import { bytes } from '../../../shared/model/quantities.ts';
import type { WaveEstimate } from '../../../shared/model/wave-estimate.ts';
import { monthlyCosts, type PriceList } from '../../../shared/reports/price-list.ts';
import { duration, moment, pairs, table } from './print.ts';

/** How long a wave will take and what it needs, member by member. */
export function estimateText(estimate: WaveEstimate, prices: PriceList | undefined): string {
  const { needs, memberList, networks, quotas } = estimate;
  const time = (seconds: number | undefined): string | undefined =>
    seconds === undefined ? undefined : duration(seconds);
  const head = pairs({
    action: estimate.action,
    starts: estimate.startsAt,
    'in parallel': estimate.atOnce,
    limit: estimate.bytesPerSecond === undefined ? undefined : `${bytes(estimate.bytesPerSecond)}/s`,
    takes:
      estimate.seconds === undefined ? 'not known: nothing of its kind was measured yet' : duration(estimate.seconds),
    window:
      estimate.windowEndedAt !== undefined
        ? `OVER since ${estimate.windowEndedAt}: plan another one`
        : estimate.windowSeconds === undefined
          ? undefined
          : `${duration(estimate.windowSeconds)}${estimate.fits === undefined ? '' : estimate.fits ? ', enough' : ', TOO SHORT'}`,
    'longest downtime': time(estimate.downtimeSeconds),
    'to send': bytes(estimate.bytesToSend),
    needs: `${needs.servers} servers, ${needs.vcpus} vCPUs, ${bytes(needs.memoryMb * 1024 ** 2)} of memory, ${needs.volumes} volumes with ${bytes(needs.volumeBytes)}, ${needs.nics} NICs${needs.unknownVms === 0 ? '' : `; ${needs.unknownVms} VMs were never described`}`,
  });
  const members = table(
    [
      'replica',
      'basis',
      'executions',
      'changes/day',
      'sent',
      'pass',
      'last pass',
      'starts after',
      'ends after',
      'downtime',
    ],
    memberList.map((member) => [
      member.name,
      member.basis,
      member.executions,
      member.changeBytesPerSecond === undefined ? undefined : bytes(member.changeBytesPerSecond * 86_400),
      member.sentShare === undefined ? undefined : `${Math.round(member.sentShare * 100)} %`,
      bytes(member.passBytes),
      member.lastPassBytes === undefined ? undefined : bytes(member.lastPassBytes),
      time(member.startSeconds),
      time(member.endSeconds),
      time(member.downtimeSeconds),
    ]),
  );
  const nets =
    networks.length === 0
      ? ''
      : table(
          ['network', 'NICs', 'addresses', 'kept addresses outside of it'],
          networks.map(({ network, nics, addresses, outside }) => [
            network,
            nics,
            addresses,
            outside.map(({ name, address }) => `${name}: ${address}`).join(', '),
          ]),
        );
  const short =
    quotas.length === 0
      ? ''
      : table(
          ['endpoint', 'quota', 'needed', 'free', 'limit', 'as of', 'result'],
          quotas.map((one) => [
            one.endpoint,
            one.quota,
            one.needed,
            one.free,
            one.limit,
            moment(one.at),
            one.needed <= one.free ? 'enough' : 'SHORT',
          ]),
        );
  return [head, members, nets, short, prices === undefined ? '' : costText(estimate, prices)]
    .filter((part) => part !== '')
    .join('\n');
}

function costText({ needs }: WaveEstimate, prices: PriceList): string {
  const costs = monthlyCosts(needs, prices);
  const money = (value: number): string => `${value.toFixed(2)} ${prices.currency}`.trim();
  const total = costs.reduce((sum, { perMonth }) => sum + perMonth, 0);
  return table(
    ['item', 'amount', 'a month'],
    [
      ...costs.map(({ item, amount, perMonth }) => [item, Math.round(amount * 10) / 10, money(perMonth)]),
      ['total', undefined, money(total)],
    ],
  );
}
