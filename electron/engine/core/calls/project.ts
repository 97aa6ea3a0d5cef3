import type { CallsOf, Handlers } from './handler.ts';

export const projectCalls: Handlers<CallsOf<'project'>> = {
  async 'project.takeIn'(core) {
    return { problems: core.descriptions.takeIn().problems.map((problem) => ({ ...problem })) };
  },
};
