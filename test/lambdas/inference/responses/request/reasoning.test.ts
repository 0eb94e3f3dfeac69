import { describe, expect, it } from 'vitest';
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import { type SignatureOwner, writeSignature } from '#lambdas/inference/completion/signatures.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { signature } from '#test/support/providers/neutral-request.ts';
import { assistantParts, readResponses } from '#test/support/responses/read.ts';

const signed = (payload: Payload | null, owner: SignatureOwner = 'thinking', provider = 'google') =>
  writeSignature({ provider, owner, payload });
const google = (data: string) => signature(data, 'google');
const redacted: Payload = { format: 'anthropic', kind: 'redacted', data: 'cmVk' };

const item = (text: string, fields: JsonObject = {}) => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: text === '' ? [] : [{ type: 'summary_text', text }],
  ...fields,
});
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'look', arguments: '{}' });
const say = (text: string) => ({ role: 'assistant', content: text });

function read(provider: string | null, ...items: JsonObject[]) {
  const request = readResponses({ input: [...items, { role: 'user', content: 'And?' }] }, provider);
  const parts = assistantParts(request).map((part) => [
    part.type === 'text' || part.type === 'reasoning' ? part.text : part.type === 'call' ? part.id : '',
    part.payload?.data ?? null,
  ]);
  return { parts, omissions: request.omissions };
}

const reported = ['input.reasoning'];

describe('Reasoning that the caller sends back', () => {
  it.each<[title: string, fields: JsonObject, text: string]>([
    ['a summary', { summary: [{ type: 'summary_text', text: 'Hm' }] }, 'Hm'],
    [
      'summaries',
      {
        summary: [
          { type: 'summary_text', text: 'One' },
          { type: 'summary_text', text: 'Two' },
        ],
      },
      'One\n\nTwo',
    ],
    ['its text', { summary: [], content: [{ type: 'reasoning_text', text: 'Raw' }] }, 'Raw'],
    [
      'a summary rather than its text',
      {
        summary: [{ type: 'summary_text', text: 'Hm' }],
        content: [{ type: 'reasoning_text', text: 'Raw' }],
      },
      'Hm',
    ],
  ])('has %s', (_, fields, text) => {
    expect(read('google', item('', fields), say('Hi'))).toEqual({
      parts: [
        [text, null],
        ['Hi', null],
      ],
      omissions: [],
    });
  });

  it.each<JsonObject>([
    { summary: [], content: null, encrypted_content: null, id: null, status: null },
    { summary: 'x', content: [5, null, {}] },
    { summary: [{}], content: 7, encrypted_content: 7 },
  ])('is nothing as %j', (fields) => {
    expect(read('google', item('', fields), say('Hi'))).toEqual({ parts: [['Hi', null]], omissions: [] });
  });

  it('has its data at the part to which it belongs, for the provider that has made it', () => {
    const { parts, omissions } = read(
      'google',
      item('Hm', { encrypted_content: signed(google('r')) }),
      item('', { encrypted_content: signed(redacted) }),
      say('Well'),
      item('', {
        encrypted_content: `${signed(google('t'), 'text')}${signed(google('a'), { callId: 'a' })}`,
      }),
      call('a'),
      item('So', { encrypted_content: signed(google('b'), { callId: 'b' }) }),
      call('b'),
      item('End', { encrypted_content: signed(null) }),
    );
    expect(parts.filter(([text, data]) => text !== '' || data !== null)).toEqual([
      ['Hm', 'r'],
      ['', 'cmVk'],
      ['Well', 't'],
      ['a', 'a'],
      ['So', null],
      ['b', 'b'],
      ['End', null],
    ]);
    expect(omissions).toEqual([]);
  });

  it.each(['vllm', null])('is left out and reported for another provider: %s', (provider) => {
    const { parts, omissions } = read(
      provider,
      item('Hm', { encrypted_content: signed(google('r')) }),
      say('Well'),
      item('', { encrypted_content: signed(google('t'), 'text') }),
      item('So', { encrypted_content: signed(null) }),
      call('a'),
      item('Own', { encrypted_content: signed(google('v'), 'thinking', 'vllm') }),
    );
    const isOwn = provider === 'vllm';
    expect(parts).toEqual([['Well', null], ['a', null], ...(isOwn ? [['Own', 'v']] : [])]);
    expect(omissions).toEqual(reported);
  });

  it("keeps the summary of OpenAI's, whose encrypted content is reported", () => {
    expect(read('google', item('Hm', { encrypted_content: 'gAAAAABpM0Yj' }), call('a'))).toEqual({
      parts: [
        ['Hm', null],
        ['a', null],
      ],
      omissions: reported,
    });
  });

  it('keeps the summary without the encrypted content, which some clients leave out', () => {
    for (const encrypted_content of [undefined, null, ''])
      expect(read('google', item('Hm', { id: 'rs_gateway_1_0', encrypted_content }), call('a'))).toEqual({
        parts: [
          ['Hm', null],
          ['a', null],
        ],
        omissions: [],
      });
  });

  it('keeps the data of very many signatures', () => {
    const count = 50_000;
    const encrypted_content = signed(google('x')).repeat(count);
    expect(read('google', item('Hm', { encrypted_content })).parts).toHaveLength(count);
  });
});
