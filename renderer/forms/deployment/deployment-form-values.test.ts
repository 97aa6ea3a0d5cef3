import { describe, expect, test } from 'vitest';
import type { DeploymentOptions } from '../../../shared/model/deployment.ts';
import { readDeployment, valuesOf } from './deployment-form-values.ts';

const full: DeploymentOptions = {
  inPlace: true,
  execute: { lastPass: true },
  root: 'UUID=1',
  httpProxy: 'http://proxy.example:3128',
  packageCache: '/packages',
  luksKeys: [{ secret: 'disk', device: 'u' }, { secret: 'other' }],
  scripts: { inGuest: [{ name: 'fix', content: '#!/bin/sh\ntrue\n', timeoutSeconds: 30 }] },
  bootCheck: { mode: 'network', deadlineSeconds: 60, port: 443 },
  acceptInconsistent: true,
};

describe('the form of a deployment', () => {
  test.each([
    [{}],
    [full],
    [{ skipMorphing: true }],
    [{ execute: {} }],
    [{ keepWorkerOnFailure: true, onFailedBoot: 'keep' }],
  ] as [DeploymentOptions][])('reads back what it was filled with: %j', (options) => {
    expect(readDeployment(valuesOf(options))).toEqual({ options });
  });

  test('keeps details of a preparation that is switched off out of the options', () => {
    expect(readDeployment({ ...valuesOf({ root: 'UUID=1', keepWorkerOnFailure: true }), prepare: false })).toEqual({
      options: { skipMorphing: true },
    });
  });

  test('names the option that is wrong', () => {
    const read = readDeployment({ ...valuesOf({}), bootPort: '99999', httpProxy: 'nonsense', bootDeadline: 'soon' });
    expect('problems' in read && [...read.problems.keys()].sort()).toEqual([
      'bootCheck.deadlineSeconds',
      'bootCheck.port',
      'httpProxy',
    ]);
  });

  test('refuses to keep what a failed deployment in place made', () => {
    const read = readDeployment({ ...valuesOf({ inPlace: true }), onFailedBoot: 'keep' });
    expect('problems' in read && read.problems.get('inPlace')).toContain('rolled back');
  });
});
