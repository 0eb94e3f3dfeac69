/** Builds server-sent events in OpenAI's format. */

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number; audio_tokens?: number };
  completion_tokens_details?: { reasoning_tokens?: number; audio_tokens?: number };
}

export const exampleUsage: Usage = {
  prompt_tokens: 19,
  completion_tokens: 5,
  total_tokens: 24,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
};

export const doneEvent = 'data: [DONE]\n\n';

export function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export function buildChunk(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1767225600,
    model: 'gpt-4o-mini-2024-07-18',
    service_tier: 'default',
    system_fingerprint: 'fp_1',
    choices: [],
    ...fields,
  };
}

export function deltaChunk(delta: object, finishReason: string | null = null): Record<string, unknown> {
  return buildChunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] });
}

export function errorEvent(error: object): string {
  return event({ error });
}

type UsageLocation =
  | 'own-chunk'
  | 'last-choice'
  | 'inside-choice'
  | 'x_groq'
  | 'every-chunk'
  | 'after-stop-with-choices'
  | 'none';

export function eventsWithUsage(location: UsageLocation, usage: Usage = exampleUsage): string[] {
  const running = (completion_tokens: number): Usage => ({
    ...usage,
    completion_tokens,
    total_tokens: usage.prompt_tokens + completion_tokens,
  });
  const every = (tokens: number) => (location === 'every-chunk' ? { usage: running(tokens) } : {});
  const stop = deltaChunk({}, 'stop');
  const closing: Record<UsageLocation, Record<string, unknown>[]> = {
    'own-chunk': [stop, buildChunk({ usage })],
    'last-choice': [{ ...stop, usage }],
    'inside-choice': [buildChunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] })],
    x_groq: [{ ...stop, x_groq: { id: 'req_groq', usage } }],
    'every-chunk': [{ ...stop, usage }],
    'after-stop-with-choices': [stop, { ...deltaChunk({ content: '' }), usage }],
    none: [stop],
  };
  const chunks = [
    { ...deltaChunk({ role: 'assistant', content: '' }), ...every(0) },
    { ...deltaChunk({ content: 'Hello' }), ...every(1) },
    { ...deltaChunk({ content: ' there' }), ...every(2) },
    ...closing[location],
  ];
  return [...chunks.map(event), doneEvent];
}
