/** The text with which the demo provider responds to every request. */
import { setTimeout as delay } from 'node:timers/promises';

const wordIntervalMs = 40;

export interface DemoText {
  /** With the space after each of them. */
  words: string[];
  inputTokens: number;
  outputTokens: number;
}

export function createText(messages: readonly unknown[]): DemoText {
  const messageCount = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  const sentence = `Hello from the local demo: you sent ${messageCount}. Set a provider's key, such as OPENAI_API_KEY, for real answers.`;
  return {
    words: sentence.split(/(?<= )/),
    inputTokens: estimateTokens(JSON.stringify(messages)),
    outputTokens: estimateTokens(sentence),
  };
}

/** Assumes four characters per token, the average of English text. */
export function estimateTokens(content: string): number {
  return Math.ceil(content.length / 4);
}

/** Yields the words at the speed of a model that writes fast. */
export async function* paced(words: readonly string[]): AsyncGenerator<string> {
  for (const word of words) {
    await delay(wordIntervalMs);
    yield word;
  }
}

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};
