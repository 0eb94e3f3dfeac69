import { describe, expect, it } from 'vitest';
import { acceptedBody, callGoogle } from '#test/support/providers/google/call.ts';

const weather = { type: 'function', function: { name: 'weather', description: 'The weather' } };
const now = { type: 'function', function: { name: 'now' } };
const signature = 'EokCCoYCARFNMg8vT3Jh4yUuZbQmVx0cN2sWk5tPq8dLr1eG';
const signed = { extra_content: { google: { thought_signature: signature } } };
const placeholder = 'skip_thought_signature_validator';

function call(id: string, name: string, text = '{}', fields: object = {}) {
  return { id, type: 'function', function: { name, arguments: text }, ...fields };
}
function result(tool_call_id: string, content: unknown) {
  return { role: 'tool', tool_call_id, content };
}
const question = { role: 'user', content: 'Weather?' };
const questionContent = { role: 'user', parts: [{ text: 'Weather?' }] };

async function contentsFor(messages: object[], model = 'gemini-3.5-flash') {
  const { contents } = await acceptedBody({
    model,
    messages: [question, ...messages],
    tools: [weather, now],
  });
  return contents;
}

describe('Tool calls and results sent to Google', () => {
  it('sends results in the order of their calls, with call ids and names', async () => {
    const contents = await contentsFor([
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          call('c1', 'weather', '{"city":"Oslo","n":1.0,"id":9007199254740993}', signed),
          call('c2', 'now'),
        ],
      },
      result('c2', '12:00'),
      result('c1', '{"degrees": -3.5, "rain": false}'),
      { role: 'user', content: 'Well?' },
    ]);

    expect(contents).toEqual([
      questionContent,
      {
        role: 'model',
        parts: [
          { text: 'Let me look.' },
          {
            functionCall: {
              id: 'c1',
              name: 'weather',
              args: { city: 'Oslo', n: 1, id: Number('9007199254740993') },
            },
            thoughtSignature: signature,
          },
          { functionCall: { id: 'c2', name: 'now', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'c1', name: 'weather', response: { degrees: -3.5, rain: false } } },
          { functionResponse: { id: 'c2', name: 'now', response: { output: '12:00' } } },
          { text: 'Well?' },
        ],
      },
    ]);
  });

  it('names results by the latest call with the same id', async () => {
    const calling = { role: 'assistant', tool_calls: [call('c1', 'weather'), call('c2', 'now')] };
    const contents = await contentsFor([
      calling,
      result('c1', 'a'),
      result('c2', 'b'),
      { ...calling, tool_calls: [call('c1', 'now'), call('c2', 'weather')] },
      result('c2', 'd'),
      result('c1', 'c'),
    ]);

    expect(contents).toHaveProperty('[4].parts', [
      { functionResponse: { id: 'c1_2', name: 'now', response: { output: 'c' } } },
      { functionResponse: { id: 'c2_2', name: 'weather', response: { output: 'd' } } },
    ]);
  });

  it('preserves the digits of numbers in call arguments', async () => {
    const messages = [
      question,
      { role: 'assistant', tool_calls: [call('c1', 'now', '{"n":1.0,"id":9007199254740993}')] },
      result('c1', 'x'),
    ];
    const { outgoing } = await callGoogle({ messages });

    expect(outgoing.body).toContain('"args":{"n":1.0,"id":9007199254740993}');
  });

  it.each([
    ['a text', 'It rains', { output: 'It rains' }],
    ['an empty text', '', { output: '' }],
    [
      'content parts',
      [
        { type: 'text', text: 'It' },
        { type: 'text', text: 'rains' },
      ],
      { output: 'It\nrains' },
    ],
    ['a JSON array', '[1,2]', { output: '[1,2]' }],
    ['a JSON number', '5', { output: '5' }],
    ['a JSON object', ' {"a":{"b":[1,2.5,-3e-7]}} ', { a: { b: [1, 2.5, -3e-7] } }],
    [
      'a JSON object with a number that would lose digits',
      '{"id":9007199254740993}',
      { output: '{"id":9007199254740993}' },
    ],
    [
      'a JSON object with a $ref, which Google would resolve',
      '{"schema":[{"$ref":"#/$defs/city"}]}',
      { output: '{"schema":[{"$ref":"#/$defs/city"}]}' },
    ],
    ['a JSON object with $ref inside a string', '{"text":"{\\"$ref\\":1}"}', { text: '{"$ref":1}' }],
    [
      'a deeply nested JSON object',
      `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
      { output: expect.any(String) },
    ],
  ])('sends a result that is %s', async (_case, content, response) => {
    const contents = await contentsFor([
      { role: 'assistant', tool_calls: [call('c1', 'now')] },
      result('c1', content),
    ]);

    expect(contents).toMatchObject([
      {},
      {},
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'now', response } }] },
    ]);
  });

  it('puts images into the function response if the model supports it, otherwise after it', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const imageUrl = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const messages = [
      { role: 'assistant', tool_calls: [call('c1', 'now', '{}', signed), call('c2', 'now')] },
      result('c1', [{ type: 'text', text: 'A map' }, image, imageUrl]),
      result('c2', 'x'),
    ];
    const inline = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
    const file = { fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.png' } };
    const first = { id: 'c1', name: 'now', response: { output: 'A map' } };
    const second = { functionResponse: { id: 'c2', name: 'now', response: { output: 'x' } } };

    expect(await contentsFor(messages)).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { ...first, parts: [inline] } }, second, file] },
    ]);
    expect(await contentsFor(messages, 'gemini-2.5-flash')).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: first }, second, inline, file] },
    ]);
  });

  it('rejects a result without a call', async () => {
    const messages = [
      question,
      { role: 'assistant', tool_calls: [call('c1', 'now')] },
      result('c1', 'x'),
      result('c9', 'y'),
    ];

    await expect(callGoogle({ messages })).rejects.toMatchObject({
      code: 'invalid_request_error',
      param: 'messages[3].tool_call_id',
    });
  });
});

describe('Thought signatures sent to Google', () => {
  it('adds a placeholder to the first call of each step that has no signature', async () => {
    const contents = await contentsFor([
      { role: 'assistant', tool_calls: [call('c1', 'now'), call('c2', 'now')] },
      result('c1', 'x'),
      result('c2', 'y'),
      {
        role: 'assistant',
        content: 'Again.',
        tool_calls: [call('c3', 'now', '{}', { extra_content: { google: { thought_signature: '' } } })],
      },
      result('c3', 'z'),
    ]);
    const now = (id: string) => ({ functionCall: { id, name: 'now', args: {} } });

    expect(contents).toMatchObject([
      {},
      { role: 'model' },
      {},
      { parts: [{ text: 'Again.' }, { ...now('c3'), thoughtSignature: placeholder }] },
      {},
    ]);
    expect(contents).toHaveProperty('[1].parts', [
      { ...now('c1'), thoughtSignature: placeholder },
      now('c2'),
    ]);
  });

  it.each(['gemini-2.5-flash', 'gemini-2.0-flash', 'gemma-3-27b-it'])(
    'adds no placeholder for %s but forwards signatures',
    async (model) => {
      const messages = [
        { role: 'assistant', tool_calls: [call('c1', 'now'), call('c2', 'now', '{}', signed)] },
        result('c1', 'x'),
        result('c2', 'y'),
      ];

      expect(await contentsFor(messages, model)).toHaveProperty('[1].parts', [
        { functionCall: { id: 'c1', name: 'now', args: {} } },
        { functionCall: { id: 'c2', name: 'now', args: {} }, thoughtSignature: signature },
      ]);
    },
  );

  it.each([
    'gemini-3.1-pro-preview',
    'gemini-flash-latest',
    'models/gemini-3-flash-preview',
    'gemini-robotics',
  ])('adds a placeholder for %s', async (model) => {
    const { body } = await callGoogle({
      model,
      messages: [question, { role: 'assistant', tool_calls: [call('c1', 'now')] }, result('c1', 'x')],
    });

    expect(body.contents).toHaveProperty('[1].parts[0].thoughtSignature', placeholder);
  });

  it("puts an assistant message's signature on its last part", async () => {
    const content = [
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B' },
    ];

    expect(
      await contentsFor([
        { role: 'assistant', content, ...signed },
        { role: 'user', content: 'C' },
      ]),
    ).toMatchObject([{}, { parts: [{ text: 'A' }, { text: 'B', thoughtSignature: signature }] }, {}]);
  });

  it.each([
    ['not an object', 'x'],
    ["another provider's", { openai: {} }],
    ['not a string', { google: { thought_signature: 5 } }],
  ])('ignores a signature that is %s', async (_case, extra_content) => {
    const contents = await contentsFor([
      { role: 'assistant', content: 'A', extra_content },
      { role: 'user', content: 'B' },
    ]);

    expect(contents).toHaveProperty('[1].parts', [{ text: 'A' }]);
  });
});
