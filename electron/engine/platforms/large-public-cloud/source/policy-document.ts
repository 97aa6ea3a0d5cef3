import { ourLabel } from '../../../cloud-resources/managed-resources.ts';
import { partitionOf, type AwsConnection } from '../client/connection.ts';
import { featureActions } from './policy.ts';

interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** Actions that only concern what Causeway created, which its tag tells. */
const onOwn: ReadonlySet<string> = new Set([
  'ec2:DeleteSnapshot',
  'ec2:TerminateInstances',
  'ec2:AttachVolume',
  'ec2:DetachVolume',
  'ec2:DeleteVolume',
  'ec2:AuthorizeSecurityGroupIngress',
  'ec2:DeleteSecurityGroup',
]);
const creations: Readonly<Partial<Record<Feature, readonly string[]>>> = {
  snapshots: ['CreateSnapshots'],
  worker: ['RunInstances', 'CreateVolume', 'CreateSecurityGroup'],
};
const tagging = 'ec2:CreateTags';

type Feature = keyof typeof featureActions;

/** A policy for IAM with a statement or more for each feature that the endpoint uses, in its region alone. */
export function policyDocument({ region, diskAccess }: Pick<AwsConnection, 'region' | 'diskAccess'>): string {
  const features = (Object.keys(featureActions) as Feature[]).filter(
    (feature) =>
      !(feature === 'direct' && diskAccess === 'worker') && !(feature === 'worker' && diskAccess === 'ebs_direct'),
  );
  return JSON.stringify(
    { Version: '2012-10-17', Statement: features.flatMap((feature) => statementsOf(feature, region)) },
    undefined,
    2,
  );
}

function statementsOf(feature: Feature, region: string): readonly Statement[] {
  const all: readonly string[] = featureActions[feature].privileges;
  const here = { 'aws:RequestedRegion': region };
  const sid = feature[0]?.toUpperCase() + feature.slice(1);
  if (feature === 'direct')
    return [
      { Sid: sid, Effect: 'Allow', Action: all, Resource: `arn:${partitionOf(region).name}:ec2:${region}::snapshot/*` },
    ];
  if (feature === 'keys')
    return [
      { Sid: sid, Effect: 'Allow', Action: all, Resource: `arn:${partitionOf(region).name}:kms:${region}:*:key/*` },
    ];
  const own = all.filter((action) => onOwn.has(action));
  const others = all.filter((action) => !onOwn.has(action) && action !== tagging);
  const tag = Object.fromEntries(Object.entries(ourLabel).map(([key, value]) => [`aws:ResourceTag/${key}`, value]));
  return [
    { Sid: sid, Effect: 'Allow', Action: others, Resource: '*', Condition: { StringEquals: here } },
    ...(own.length === 0
      ? []
      : [
          {
            Sid: `${sid}OfCauseway`,
            Effect: 'Allow',
            Action: own,
            Resource: '*',
            Condition: { StringEquals: { ...here, ...tag } },
          } as const,
        ]),
    // Tags are only set together with the creation of what they are on.
    ...(all.includes(tagging)
      ? [
          {
            Sid: `${sid}Tags`,
            Effect: 'Allow',
            Action: [tagging],
            Resource: '*',
            Condition: { StringEquals: { ...here, 'ec2:CreateAction': creations[feature] ?? [] } },
          } as const,
        ]
      : []),
  ];
}
