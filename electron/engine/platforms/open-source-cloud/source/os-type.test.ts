import { describe, expect, it } from 'vitest';
import { osTypeOf } from './os-type.ts';

describe('the type of a guest', () => {
  it.each([
    [{ os_type: 'linux' }, 'linux'],
    [{ os_type: 'windows' }, 'windows'],
    [{ os_distro: 'Ubuntu' }, 'linux'],
    [{ os_distro: 'win2k19' }, 'windows'],
    [{ os_distro: 'haiku' }, undefined],
    [{}, undefined],
  ])('of an image with %j is %s', (properties, type) => {
    expect(osTypeOf(properties, {})).toBe(type);
  });

  it('is what the map of the environment says before anything else, by either property', () => {
    const environment = { custom_os_type_map: { Redhat: 'linux', linux: 'windows' } };
    expect(osTypeOf({ os_distro: 'redhat' }, environment)).toBe('linux');
    expect(osTypeOf({ os_type: 'Linux' }, environment)).toBe('windows');
  });
});
