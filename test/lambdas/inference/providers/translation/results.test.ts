import { describe, expect, it } from 'vitest';
import {
  createMessageReader,
  toStreamEvents as toMessageEvents,
} from '#lambdas/inference/providers/anthropic/reader.ts';
import { createConverseReader, toStreamEvents } from '#lambdas/inference/providers/bedrock/reader.ts';
import { createGoogleTranslator } from '#lambdas/inference/providers/google/response.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { recordSink, type SinkCall } from '#test/support/providers/recording-sink.ts';

function readMessage(message: JsonObject): SinkCall[] {
  const { sink, calls } = recordSink();
  const reader = createMessageReader(sink, 'claude');
  for (const event of toMessageEvents(message)) reader.read(event);
  return calls;
}

function readConverse(response: JsonObject, jsonOutputTool: string | null = null): SinkCall[] {
  const { sink, calls } = recordSink();
  const reader = createConverseReader({ sink, jsonOutputTool });
  for (const [type, payload] of toStreamEvents(response)) reader.read(type, payload);
  return calls;
}

function readGoogle(...parts: JsonObject[]): SinkCall[] {
  const { sink, calls } = recordSink();
  createGoogleTranslator({})({ candidates: [{ content: { parts } }] }, sink);
  return calls;
}

const signed = (data: string, format = 'anthropic') => ({ format, kind: 'signature', data });

describe('The result of a message of Anthropic', () => {
  it('has the signature of each thinking block, redacted blocks, and marks of what is left out, in order', () => {
    const content = [
      { type: 'thinking', thinking: 'a', signature: 's1' },
      { type: 'thinking', thinking: 'b', signature: '' },
      { type: 'redacted_thinking', data: 'r' },
      { type: 'server_tool_use', id: 'x', name: 'web_search', input: {} },
      { type: 'thinking', thinking: 'c', signature: 's2' },
      { type: 'tool_use', id: 'call', name: 'look', input: { n: 1 } },
      { type: 'text', text: 'Hi' },
    ];
    expect(readMessage({ content, stop_reason: 'stop_sequence', stop_sequence: 'END' })).toEqual([
      ['begin'],
      ['reasoning', 'a'],
      ['signature', signed('s1')],
      ['reasoning', 'b'],
      ['signature', null],
      ['signature', { format: 'anthropic', kind: 'redacted', data: 'r' }],
      ['omit'],
      ['reasoning', 'c'],
      ['signature', signed('s2')],
      ['toolCall', { id: 'call', name: 'look' }],
      ['arguments', '{"n":1}'],
      ['text', 'Hi'],
      ['stopSequence', 'END'],
      ['finish', 'stop_sequence'],
    ]);
  });

  it('has no stop sequence if none ended it', () => {
    expect(readMessage({ content: [], stop_reason: 'end_turn', stop_sequence: null })).toEqual([
      ['begin'],
      ['finish', 'end_turn'],
    ]);
  });
});

describe('The result of a response of Bedrock', () => {
  it('has signatures, redacted reasoning, and the stop sequence that the caller asks the model for', () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'a', signature: 's1' } } },
      { reasoningContent: { redactedContent: 'r' } },
      { reasoningContent: { reasoningText: { text: 'b' } } },
      { toolUse: { toolUseId: 'x', name: 'search', type: 'server_tool_use', input: {} } },
      { text: 'Hi' },
    ];
    const response = {
      output: { message: { content } },
      stopReason: 'stop_sequence',
      additionalModelResponseFields: { stop_sequence: 'END' },
    };
    expect(readConverse(response)).toEqual([
      ['begin'],
      ['reasoning', 'a'],
      ['signature', signed('s1')],
      ['signature', { format: 'anthropic', kind: 'redacted', data: 'r' }],
      ['reasoning', 'b'],
      ['signature', null],
      ['omit'],
      ['text', 'Hi'],
      ['stopSequence', 'END'],
      ['finish', 'stop_sequence'],
    ]);
  });

  it('marks text beside JSON output as left out', () => {
    const content = [{ text: 'Here' }, { toolUse: { toolUseId: 'x', name: 'json', input: { a: 1 } } }];
    expect(readConverse({ output: { message: { content } }, stopReason: 'tool_use' }, 'json')).toEqual([
      ['begin'],
      ['omit'],
      ['omit'],
      ['text', '{"a":1}'],
      ['finish', 'tool_use'],
    ]);
  });
});

describe('The result of a response of Google', () => {
  it('has the signature of each text and call, and media by their type', () => {
    const parts = [
      { text: 'Hm', thought: true, thoughtSignature: 'ignored' },
      { text: 'Hi', thoughtSignature: 's1' },
      { functionCall: { id: 'a', name: 'look', args: {} }, thoughtSignature: 's2' },
      { functionCall: { id: 'b', name: 'look', args: {} } },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    ];
    expect(readGoogle(...parts)).toEqual([
      ['reasoning', 'Hm'],
      ['text', 'Hi'],
      ['signature', signed('s1', 'google')],
      ['toolCall', { id: 'a', name: 'look', payload: signed('s2', 'google') }],
      ['arguments', '{}'],
      ['toolCall', { id: 'b', name: 'look', payload: null }],
      ['arguments', '{}'],
      ['media', { mediaType: 'image/png', data: 'AAAA' }],
      ['begin'],
    ]);
  });
});
