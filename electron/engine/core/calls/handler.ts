import type { CallArguments, CallName, CallOutput } from '../../../../shared/contract/contract.ts';
import type { CoreContext } from '../core-context.ts';

/** Carries out one call. The input has been checked. */
export type Handler<N extends CallName> = (core: CoreContext, input: CallArguments<N>, signal: AbortSignal) => Promise<CallOutput<N>>;

/** The handlers of some of the calls. */
export type Handlers<N extends CallName> = { readonly [K in N]: Handler<K> };

/** The calls of one domain, e.g. all that begin with `vault.`. */
export type CallsOf<D extends string> = Extract<CallName, `${D}.${string}`>;
