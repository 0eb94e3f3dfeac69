/** An answer of a model, independent of the format in which a provider sends it. */

export type AnswerFinish = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface Answer {
  reasoning: string[];
  texts: string[];
  calls: { id: string; name: string; arguments: object }[];
  finish: AnswerFinish;
  inputTokens: number;
  outputTokens: number;
}

/** A word of each provider for the same finish reason. */
export type FinishWords = Readonly<Record<AnswerFinish, string>>;

/** Splits text in two, so that a stream has it in two deltas. */
export function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
