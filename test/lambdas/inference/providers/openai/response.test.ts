import { describe, expect, it } from 'vitest';
import { createOpenAiReader } from '#lambdas/inference/providers/openai/response.ts';
import { responseOrigin } from '#test/support/providers/openai/origin.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';

const noBytes = Buffer.alloc(0);

/** Reads a response in chunks, and counts how often the writer of converted responses is loaded. */
async function read(stream: boolean, chunks: readonly string[]) {
  const call = providerCall({ stream });
  let loads = 0;
  const reader = createOpenAiReader(responseOrigin('openai'), call, () => {
    loads++;
    return call.request.loadWriter();
  });
  const outputs: Buffer[] = [];
  for (const chunk of chunks) {
    outputs.push(reader.push(Buffer.from(chunk)));
    await reader.load?.(false);
    outputs.push(reader.push(noBytes));
  }
  await reader.load?.(true);
  outputs.push(reader.end());
  return { loads, text: Buffer.concat(outputs).toString(), facts: reader.facts };
}

const completion = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  created: 1767225600,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hi', refusal: null }, finish_reason: 'stop' },
  ],
});
const event = `data: ${JSON.stringify({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1767225600,
  model: 'm',
  choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
})}\n\n`;
const done = 'data: [DONE]\n\n';

describe('createOpenAiReader', () => {
  it.each<[string, boolean, string[]]>([
    ['a completion for a completion', false, [completion]],
    ['a completion in chunks', false, [completion.slice(0, 9), completion.slice(9)]],
    ['a stream for a stream', true, [event, done]],
    ['an empty response', false, []],
    ['an empty response to a stream', true, ['\n']],
    ['an error', false, ['{"error":{"message":"No"}}']],
  ])('loads no writer for %s', async (_, stream, chunks) => {
    expect((await read(stream, chunks)).loads).toBe(0);
  });

  it.each<[string, boolean, string[], RegExp]>([
    ['a completion for a stream', true, [completion], /"content":"Hi".*"finish_reason":"stop".*\[DONE\]/s],
    [
      'a completion in chunks',
      true,
      [completion.slice(0, 9), completion.slice(9)],
      /"content":"Hi".*\[DONE\]/s,
    ],
    ['a stream for a completion', false, [event.slice(0, 9), event.slice(9), done], /"content":"Hi"/],
    ['a stream after an empty object', false, [`{}\n${event}`, done], /"content":"Hi"/],
    ['a stream after a body without an end', false, [`{"a":1\n\n${event}${done}`], /"content":"Hi"/],
  ])('loads the writer once for %s, and loses nothing', async (_, stream, chunks, expected) => {
    const { loads, text } = await read(stream, chunks);
    expect(loads).toBe(1);
    expect(text).toMatch(expected);
  });

  it('reports a response without content as an error', async () => {
    const { facts, text } = await read(true, []);
    expect(text).toBe('');
    expect(facts.error?.message).toBe('The response of the provider openai contains no completion');
  });
});
