import { describe, expect, it } from 'vitest';
import { createTextCounter } from '#lambdas/inference/text-counter.ts';
import { fc } from '#test/support/fast-check.ts';
import { deltaChunk, doneEvent, event } from '#test/support/providers/openai/events.ts';

const keys = ['content":', 'reasoning":', 'arguments":', 'refusal":'].map((key) => Buffer.from(key));

function countedIn(...events: string[]): number {
  const counter = createTextCounter(keys);
  for (const text of events) counter.add(Buffer.from(text));
  return counter.bytes;
}

/** Escapes non-ASCII characters like Python's `json.dumps`. */
const toAscii = (json: string) =>
  json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

describe('createTextCounter', () => {
  it.each([
    [{ role: 'assistant', content: '' }, 0],
    [{ content: 'Hello' }, 5],
    [{ content: null }, 0],
    [{}, 0],
    [{ reasoning_content: 'Hmm' }, 3],
    [{ reasoning: 'Hmm!', reasoning_details: [{ text: 'Hmm!' }] }, 4],
    [{ content: 'a', reasoning_content: 'bc' }, 3],
    [{ refusal: 'No.' }, 3],
    [{ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'add', arguments: '{"a":' } }] }, 5],
    [{ tool_calls: [{ function: { arguments: '{' } }, { function: { arguments: '}}' } }] }, 3],
    [{ function_call: { name: 'f', arguments: '{}' } }, 2],
    [{ content: [{ type: 'text', text: 'parts' }] }, 0],
  ])('counts the text of the delta %j as %i bytes', (delta, bytes) => {
    expect(countedIn(event(deltaChunk(delta)))).toBe(bytes);
  });

  it('counts all choices in all events of a chunk', () => {
    const two = { choices: [{ delta: { content: 'ab' } }, { delta: { content: 'c' } }] };
    expect(countedIn(event(two) + event(two), event(two), doneEvent, ': comment\n\n')).toBe(9);
  });

  it('ignores padding, log probabilities, and keys within text', () => {
    expect(countedIn('data: {"delta":{"content":"x"},"obfuscation":"abcdef"}\n\n')).toBe(1);
    const tricky = '{"content":"a","arguments":"b"} content":"c"';
    expect(countedIn(event(deltaChunk({ content: tricky })))).toBe(tricky.length);
    expect(countedIn(event({ choices: [{ logprobs: { content: [{ token: 'x' }] } }] }))).toBe(0);
  });

  it('handles spaces before the text, and truncated events', () => {
    expect(countedIn('data: {"content":   "ab"}\n\n')).toBe(2);
    expect(countedIn('data: {"content": "ab')).toBe(2);
    expect(countedIn('data: {"content":')).toBe(0);
    expect(countedIn('data: {"content":"\\')).toBe(1);
  });

  it('counts UTF-8 bytes regardless of escapes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        const events = texts.map((content) => event(deltaChunk({ content })));
        const bytes = Buffer.byteLength(texts.join(''));
        expect(countedIn(...events)).toBe(bytes);
        expect(countedIn(...events.map(escapeEvent))).toBe(bytes);
      }),
    );
  });
});

function escapeEvent(text: string): string {
  return `${toAscii(text.trimEnd())}\n\n`;
}
