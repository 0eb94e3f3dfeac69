import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readCredential } from '#cli/providers/credential-input.ts';

function terminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const prompt = new PassThrough({ encoding: 'utf8' });
  return { input, prompt };
}

describe('a credential typed at a terminal', () => {
  it('is asked for, and not shown', async () => {
    const { input, prompt } = terminal();

    const reading = readCredential('openai', { input, prompt });
    input.write('sk-0123\r');

    expect(await reading).toBe('sk-0123');
    expect(prompt.read()).toBe('Credential of openai (not shown): \n');
  });

  it('can be corrected while it is typed', async () => {
    const { input, prompt } = terminal();

    const reading = readCredential('openai', { input, prompt });
    input.write('sk-0129\x7f3\r');

    expect(await reading).toBe('sk-0123');
  });

  it.each([
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
  ])('can be left with %s', async (_case, keys) => {
    const { input, prompt } = terminal();

    const reading = readCredential('openai', { input, prompt });
    input.write(keys);

    await expect(reading).rejects.toMatchObject({ message: 'Nothing was changed', exitCode: 1 });
  });
});
