/** The comparison of translated requests in `npm run bench`: equal requests, and the ratios that have a target. */
import { expect, it } from 'vitest';
import { type Implementation, type TranslatedName, translatedOf } from '#bench/overhead/implementations.ts';
import { translatedTable } from '#bench/overhead/translated.ts';

const gateway: Implementation = {
  name: 'gateway',
  url: 'http://gateway.example/ai/chat/completions',
  headers: { authorization: 'Bearer pt_live_0' },
  createBody: () => Buffer.of(),
  process: {
    origin: 'http://gateway.example',
    pid: 0,
    usage: async () => expect.fail('Nothing is measured'),
    stop: async () => {},
  },
};

it.each<[TranslatedName, string, string]>([
  ['translatedChat', '/ai/chat/completions', 'messages'],
  ['translatedMessages', '/ai/messages', 'messages'],
  ['translatedResponses', '/ai/responses', 'input'],
])('%s sends requests of the same size for the same model', (name, path, field) => {
  const { url, createBody } = translatedOf(gateway, name);

  for (const bytes of [700, 88_000]) {
    const body = createBody({ stream: true, chunks: 300, includeUsage: true, bytes });
    expect(body.byteLength).toBe(bytes);
    expect(JSON.parse(body.toString())).toMatchObject({
      model: 'google/d0-c300-g0',
      stream: true,
      [field]: expect.any(Array),
    });
  }
  expect(url).toBe(`http://gateway.example${path}`);
});

it.each([
  [440, '1.10', '440', '1.00', 'yes'],
  [440, '1.10', '485', '1.10', 'no'],
  [450, '1.13', '450', '1.00', 'no'],
])(
  'compares %i µs of messages with those of chats and responses',
  (messages, ratio, responses, other, met) => {
    const cpuMicros = {
      translatedChat: 400,
      translatedMessages: messages,
      translatedResponses: Number(responses),
    };
    const firstByteMs = { translatedChat: 1, translatedMessages: 2, translatedResponses: 3.256 };

    const table = translatedTable([{ label: 'A completion', cpuMicros, firstByteMs }]);

    const cells = table.trimEnd().split('\n').at(-1)?.split('|').slice(1, -1) ?? [];
    expect(cells.map((cell) => cell.trim())).toEqual([
      ...['A completion', '400', `${messages}`, ratio, responses, other, '≤ 1.1', met],
      ...['1.00', '2.00', '3.26'],
    ]);
  },
);
