import { expect, it } from 'vitest';
import { featurePolicies } from './policy.ts';
import { policyDocument } from './policy-document.ts';

interface Statement {
  readonly Sid: string;
  readonly Action: readonly string[];
  readonly Resource: string;
  readonly Condition?: { readonly StringEquals: Readonly<Record<string, unknown>> };
}

const statements = (region: string, diskAccess: 'auto' | 'ebs_direct' | 'worker'): readonly Statement[] =>
  (JSON.parse(policyDocument({ region, diskAccess })) as { readonly Statement: readonly Statement[] }).Statement;

it('allows all that a feature needs, and nothing beside it', () => {
  const wanted = featurePolicies.flatMap(({ privileges }) => privileges);
  expect([...new Set(statements('eu-central-1', 'auto').flatMap(({ Action }) => Action))].toSorted()).toEqual(
    [...new Set(wanted)].toSorted(),
  );
  expect(new Set(statements('eu-central-1', 'auto').map(({ Sid }) => Sid)).size).toBe(
    statements('eu-central-1', 'auto').length,
  );
});

it('lets only resources with the tag of Causeway be removed', () => {
  const removing = statements('eu-central-1', 'auto').filter(({ Action }) =>
    Action.some((action) => /:(?:Delete|Terminate)/.test(action)),
  );
  expect(removing.map(({ Condition }) => Condition?.StringEquals['aws:ResourceTag/managed-by'])).toEqual([
    'causeway',
    'causeway',
  ]);
  expect(removing.every(({ Action }) => !Action.includes('ec2:RunInstances'))).toBe(true);
});

it('leaves out the way of reading that the endpoint does not use, and keeps to its region and partition', () => {
  expect(statements('eu-central-1', 'ebs_direct').flatMap(({ Action }) => Action)).not.toContain('ec2:RunInstances');
  expect(statements('eu-central-1', 'worker').flatMap(({ Action }) => Action)).not.toContain('ebs:GetSnapshotBlock');
  expect(statements('cn-north-1', 'ebs_direct').find(({ Sid }) => Sid === 'Direct')?.Resource).toBe(
    'arn:aws-cn:ec2:cn-north-1::snapshot/*',
  );
});
