/** How a message of Claude's ended. https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons */
import { type JsonObject, objectOf, textOf } from '../../domain/json.ts';
import type { ChoiceSink, CompletionSink, FinishReason } from '../translation/completion-sink.ts';

export interface MessageEnd {
  sink: CompletionSink;
  choice: ChoiceSink;
  /** Of the event `message_delta`. */
  delta: JsonObject;
  hasContent: boolean;
}

export function endMessage({ sink, choice, delta, hasContent }: MessageEnd): void {
  const reason = textOf(delta.stop_reason);
  if (reason === '') return;
  const details = objectOf(delta.stop_details);
  if (reason === 'refusal') {
    choice.refusal(textOf(details.explanation));
    if (!hasContent && !billedRefusals.includes(textOf(details.category))) sink.statedCost('0');
  }
  choice.finish(finishReasons[reason] ?? 'stop');
}

/**
 * The kinds of refusal that cost their input also when nothing was said yet; all others are free then.
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback#how-refusals-are-billed
 */
const billedRefusals = ['bio', 'frontier_llm', 'reasoning_extraction'];

/** `pause_turn` asks to send the answer back and go on, for which OpenAI has no word. */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};
