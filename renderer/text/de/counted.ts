import { pluralsOf } from '../plurals.ts';

export const counted = pluralsOf('de');
