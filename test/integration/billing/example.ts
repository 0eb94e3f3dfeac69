/** Responses of providers whose cost was calculated by hand, each in its non-streaming and its streaming form. */
import { expect } from 'vitest';

export interface BillingExample {
  scenario: string;
  /** With the provider's prefix. */
  model: string;
  plain: object;
  /** Data of server-sent events, or Converse events. */
  stream: readonly (object | string)[];
  headers?: Record<string, string>;
  /** A sum of counts × US dollars per million, such as `400 × 2.5 + 1 × 10000`; a function if the price depends on the time. */
  calculation: string | ((at: Date) => string);
  pricing: string | ((at: Date) => string);
  /** Other fields of the log entry. */
  entry?: object;
}

/** Chooses by the time of a request. */
export function atTime<Value>(value: Value | ((at: Date) => Value), time: Date): Value {
  return value instanceof Function ? value(time) : value;
}

/** In US dollars, without trailing zeros. */
export function calculate(calculation: string): string {
  const units = calculation.split(' + ').reduce((sum, product) => {
    const [count = '', price = ''] = product.split(' × ');
    return sum + BigInt(count) * inMillionths(price);
  }, 0n);
  const digits = units.toString().padStart(13, '0');
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
}

function inMillionths(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  expect(fraction.length).toBeLessThanOrEqual(6);
  return BigInt(whole + fraction.padEnd(6, '0'));
}

interface OpenAiResponse {
  model: string;
  usage: object;
  tier?: string;
  message?: object;
  extra?: object;
}

/** A response in OpenAI's format; `message` and `extra` are added to the message or delta, and to the last chunk. */
export function openAiForms({ model, usage, tier, message = {}, extra = {} }: OpenAiResponse) {
  const base = { id: 'chatcmpl-1', created: 1, model, ...(tier !== undefined && { service_tier: tier }) };
  const chunk = (choices: object[], fields: object = {}) => ({
    ...base,
    object: 'chat.completion.chunk',
    choices,
    ...fields,
  });
  const content = { role: 'assistant', content: 'Hello', ...message };
  return {
    plain: {
      ...base,
      object: 'chat.completion',
      choices: [{ index: 0, message: content, finish_reason: 'stop' }],
      usage,
      ...extra,
    },
    stream: [
      chunk([{ index: 0, delta: content, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
      chunk([], { usage, ...extra }),
      '[DONE]',
    ],
  };
}
