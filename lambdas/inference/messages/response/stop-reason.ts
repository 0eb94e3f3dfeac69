/** Why a message ended, in the words of https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons */
import { type FinishReason, isContextFull } from '#lambdas/inference/completion/finish-reasons.ts';

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'model_context_window_exceeded'
  | 'refusal'
  | 'stop_sequence'
  | 'tool_use';

interface Ending {
  reason: FinishReason;
  /** The provider's word. */
  word: string;
  hasCalls: boolean;
  /** Whether the model has written a refusal. */
  isRefusal: boolean;
  /** The stop sequence that the provider has named. */
  stopSequence: string | null;
  /** The stop sequences of the request. */
  stopSequences: readonly string[];
}

interface Stop {
  stop_reason: StopReason;
  stop_sequence: string | null;
}

export function stopOf({ reason, word, hasCalls, isRefusal, stopSequence, stopSequences }: Ending): Stop {
  const only = (stop_reason: StopReason): Stop => ({ stop_reason, stop_sequence: null });
  switch (reason) {
    case 'stop': {
      if (isRefusal) return only('refusal');
      const isNamed = stopSequence !== null && stopSequences.includes(stopSequence);
      if (isNamed) return { stop_reason: 'stop_sequence', stop_sequence: stopSequence };
      if (word.toLowerCase() !== 'stop_sequence') return only('end_turn');
      const [first = null, ...others] = stopSequences;
      return { stop_reason: 'stop_sequence', stop_sequence: others.length === 0 ? first : null };
    }
    case 'length':
      return only(isContextFull(word) ? 'model_context_window_exceeded' : 'max_tokens');
    case 'tool_calls':
    case 'function_call':
      return only(hasCalls ? 'tool_use' : 'end_turn');
    case 'content_filter':
      return only('refusal');
    default:
      return reason satisfies never;
  }
}
