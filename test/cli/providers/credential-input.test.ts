import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readCredential } from '#cli/providers/credential-input.ts';

function terminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const prompt = new PassThrough({ encoding: 'utf8' });
  return { input, prompt };
}

describe('readCredential at a terminal', () => {
  it('prompts for the credential without echoing it', async () => {
    const { input, prompt } = terminal();

    const reading = readCredential('openai', { input, prompt });
    input.write('sk-0123\r');

    expect(await reading).toBe('sk-0123');
    expect(prompt.read()).toBe('Credential for openai (input is hidden): \n');
  });

  it('supports backspace', async () => {
    const { input, prompt } = terminal();

    const reading = readCredential('openai', { input, prompt });
    input.write('sk-0129\x7f3\r');

    expect(await reading).toBe('sk-0123');
  });

  it.each([
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
  ])('cancels the input on %s', async (_case, keys) => {
    const { input, prompt } = terminal();

    const reading = readCredential('openai', { input, prompt });
    input.write(keys);

    await expect(reading).rejects.toMatchObject({ message: 'Cancelled: nothing was changed', exitCode: 1 });
  });
});
