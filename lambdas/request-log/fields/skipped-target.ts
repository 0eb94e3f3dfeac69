/** The targets of a route that a request was not sent to. */
import { type FieldType, nonEmptyText, nullable, objectOf, oneOf, text } from './field-type.ts';

/**
 * - `failing`: it has failed a moment ago, and is tried again later.
 * - `unsupported`: it has no counterpart of a feature of the request, which `param` names.
 * - `unknown_model`, `not_configured`: there is no such provider or operation, or the provider has no credential.
 * - `not_priced`: a hard budget applies.
 * - `different_model`: it would make embeddings that cannot be compared with those of the others.
 * - `context_too_small`: another target has refused the request as too long, and this one is not known to take more.
 */
export const skipReasons = [
  'failing',
  'unsupported',
  'unknown_model',
  'not_configured',
  'not_priced',
  'different_model',
  'context_too_small',
] as const;

export type SkipReason = (typeof skipReasons)[number];

export interface SkippedTarget {
  /** `<provider>/<model>`. */
  target: string;
  reason: SkipReason;
  /** The field of the request that the target does not support; `null` for other reasons. */
  param: string | null;
}

export const skippedTargetFields = {
  target: nonEmptyText,
  reason: oneOf(skipReasons),
  param: nullable(text),
} satisfies { [Field in keyof SkippedTarget]: FieldType<SkippedTarget[Field]> };

export const skippedTargetType = objectOf<SkippedTarget>(() => skippedTargetFields);
