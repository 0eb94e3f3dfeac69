/** The request to which a response in the caller's own format belongs. */
import type { ReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { ReportedCostField } from '../catalog.ts';
import type { ReadForeignError } from './endpoint.ts';

export interface NativeOrigin {
  provider: string;
  model: string;
  /** True if the caller asked for a stream. */
  stream: boolean;
  /** The gateway's, which must not reach the caller. */
  credential: string | null;
  readForeignError?: ReadForeignError | undefined;
  /** The field of `usage` in which the provider states the cost, if it does. */
  reportedCost: ReportedCostField | null;
}

export interface NativeContext {
  origin: NativeOrigin;
  facts: ReaderFacts;
}
