/** Streams that go on after a finish reason: some servers send one in each chunk, or before the text. */
import { buildChunk, deltaChunk, exampleUsage } from '../openai/events.ts';
import type { Protocol } from './response-formats.ts';

export interface EarlyFinish {
  protocol: Protocol;
  events: readonly Record<string, unknown>[];
  /** Generated besides `earlyFinishText`. */
  reasoning?: string;
  calls?: readonly { id: string; name: string; arguments: string }[];
}

export const earlyFinishText = 'abcdefghij';

const letters = [...earlyFinishText];
const withUsage = (chunk: Record<string, unknown>) => ({ ...chunk, usage: exampleUsage });

function candidateOf(parts: readonly object[], finishReason?: string): Record<string, unknown> {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason }],
    usageMetadata: { promptTokenCount: 19, candidatesTokenCount: 5, totalTokenCount: 24 },
    modelVersion: 'gemini-2.5-flash',
  };
}

const time = { name: 'get_time', arguments: '{"zone":"CET"}' };

export const earlyFinishes: Readonly<Record<string, EarlyFinish>> = {
  // https://github.com/su-kaka/gcli2api/issues/403
  'in each chunk': {
    protocol: 'openai',
    events: [
      ...letters.map((content) => deltaChunk({ role: 'assistant', content }, 'stop')),
      buildChunk({ usage: exampleUsage }),
    ],
  },
  'in each chunk, with usage': {
    protocol: 'openai',
    events: letters.map((content) => withUsage(deltaChunk({ role: 'assistant', content }, 'stop'))),
  },
  // https://github.com/open-webui/open-webui/issues/16377
  'after the reasoning': {
    protocol: 'openai',
    events: [
      deltaChunk({ role: 'assistant', reasoning_content: 'Hm' }, 'stop'),
      ...letters.map((content) => deltaChunk({ content })),
      withUsage(deltaChunk({}, 'stop')),
    ],
    reasoning: 'Hm',
  },
  'before a tool call': {
    protocol: 'openai',
    events: [
      ...letters.map((content) => deltaChunk({ role: 'assistant', content }, 'stop')),
      deltaChunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: time }] }, 'stop'),
      buildChunk({ usage: exampleUsage }),
    ],
    calls: [{ id: 'call_1', ...time }],
  },
  // https://github.com/songquanpeng/one-api/issues/1408
  'in each chunk of Gemini': {
    protocol: 'google',
    events: letters.map((text) => candidateOf([{ text }], 'STOP')),
  },
  // https://github.com/router-for-me/CLIProxyAPI/issues/5651
  'before the text of Gemini': {
    protocol: 'google',
    events: [
      candidateOf([], 'STOP'),
      candidateOf([{ text: 'Hm', thought: true }], 'STOP'),
      ...letters.map((text) => candidateOf([{ text }])),
      candidateOf([], 'STOP'),
    ],
    reasoning: 'Hm',
  },
};
