import { describe, expect, it } from 'vitest';
import { findLeaks } from './find-leaks.ts';

const secret = { name: 'the prompt', text: 'Canary "prompt" é 1f2e' };
const leaksIn = (text: string) => findLeaks([{ place: 'here', text }], [secret]);

describe('a leak', () => {
  it.each([
    ['as it is', `before ${secret.text} after`],
    ['as JSON', JSON.stringify({ content: secret.text })],
    ['in a URL', `https://host/?q=${encodeURIComponent(secret.text)}`],
    ['in hexadecimal', Buffer.from(`x${secret.text}y`).toString('hex')],
    ...['', 'a', 'ab', 'abc'].map((before): [string, string] => [
      `in base64 behind ${JSON.stringify(before)}`,
      Buffer.from(`${before}${secret.text}and more`).toString('base64'),
    ]),
  ])('is found %s', (_case, text) => {
    expect(leaksIn(text)).toEqual(['the prompt in here']);
  });

  it('is none where the secret is not', () => {
    expect(leaksIn('Canary prompt 1f2e, task-1, pt_live_, pt_live_short')).toEqual([]);
  });

  it.each([
    ['a key of the gateway', `pt_live_${'a'.repeat(32)}`],
    ["a provider's key", 'sk-upstream'],
    ["a provider's key", '"sk-proj-1234"'],
  ])('is %s, though nobody named it', (name, text) => {
    expect(leaksIn(text)).toEqual([`${name} in here`]);
  });

  it('is told with each place that it is in, and not with the others', () => {
    const writings = ['x', secret.text, 'y', secret.text].map((text, index) => ({
      place: `line ${index}`,
      text,
    }));
    expect(findLeaks(writings, [secret])).toEqual(['the prompt in line 1', 'the prompt in line 3']);
  });
});
