/** Whether an answer is the one that was asked for, and all of it. */
import type { Answered } from '../shared/chat-client.ts';

export interface Expected {
  stream: boolean;
  /** Of text, each a token. */
  chunks: number;
}

/** A stream has so many chunks, the usage that says so, and its end. A whole answer has as many words. */
export function isAsAsked({ status, text }: Pick<Answered, 'status' | 'text'>, expected: Expected): boolean {
  const { stream, chunks } = expected;
  const tokens = text.split(' token').length - 1;
  const isComplete = stream ? text.endsWith('data: [DONE]\n\n') : text.endsWith('}');
  return status === 200 && tokens === chunks && isComplete && text.includes(`"completion_tokens":${chunks},`);
}
