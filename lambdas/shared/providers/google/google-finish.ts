/** Why a candidate ended: https://ai.google.dev/api/generate-content#FinishReason */

export type GoogleFinish =
  | { kind: 'finished'; reason: 'stop' | 'length' }
  /** What was generated is kept back, or the rest of it. */
  | { kind: 'blocked' }
  /** The model did not manage to answer. */
  | { kind: 'failed' };

const blocked = [
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'ESCALATION',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
];

const failed = [
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
  'NO_IMAGE',
  'IMAGE_OTHER',
  'PUP_LIMITED_DISABLED',
];

/** A reason that is not known yet is taken for an end like any other. */
export function readGoogleFinish(reason: string): GoogleFinish {
  if (reason === 'MAX_TOKENS') return { kind: 'finished', reason: 'length' };
  if (blocked.includes(reason)) return { kind: 'blocked' };
  return failed.includes(reason) ? { kind: 'failed' } : { kind: 'finished', reason: 'stop' };
}
