import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AdministeredGateway, startAdministeredGateway } from '#test/support/admin-command.ts';

const credential = 'sk-proj-0123456789-wXyZ';

let gateway: AdministeredGateway;

beforeAll(async () => {
  gateway = await startAdministeredGateway();
});

afterAll(async () => {
  await gateway?.stop();
});

beforeEach(() => {
  gateway.secretsManager.value = '{}';
});

describe('provider set', () => {
  it('stores what is piped to it, and shows its last four characters alone', async () => {
    const { exitCode, stdout, stderr } = await gateway.run(
      ['provider', 'set', 'openai', '--json'],
      `${credential}\n`,
    );

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      name: 'openai',
      credential_set: true,
      last_four: 'wXyZ',
      default_base_url: 'https://api.openai.com/v1',
    });
    expect(stdout).not.toContain('sk-proj');
    expect(gateway.secretsManager.value).toBe(`{"openai":{"api_key":"${credential}"}}`);
  });

  it('keeps the other credentials and what else is stored of this one', async () => {
    gateway.secretsManager.value =
      '{"groq":{"api_key":"gsk-1"},"openai":{"api_key":"old","organization":"acme"}}';

    await gateway.run(['provider', 'set', 'openai'], credential);

    expect(gateway.secretsManager.value).toBe(
      `{"groq":{"api_key":"gsk-1"},"openai":{"api_key":"${credential}","organization":"acme"}}`,
    );
  });

  it('notes on standard error that a provider is not built in', async () => {
    const { exitCode, stdout, stderr } = await gateway.run(['provider', 'set', 'my-vllm'], credential);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/\nmy-vllm +set +wXyZ +as configured\n$/);
    expect(stderr).toBe(
      'note: "my-vllm" is not built in: its base URL must be in the gateway\'s "providers" setting\n',
    );
  });

  it.each([
    ['nothing', ''],
    ['an empty line', '\n'],
    ['two lines', `${credential}\n${credential}\n`],
    ['a space inside', 'sk-proj 0123456789'],
  ])('refuses %s, without repeating it', async (_case, input) => {
    const { exitCode, stdout, stderr } = await gateway.run(['provider', 'set', 'openai'], input);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: (No credential came in|That is no credential)[^\n]*\n$/);
    expect(stderr).not.toContain('sk-proj');
    expect(gateway.secretsManager.value).toBe('{}');
  });

  it.each([
    [['provider', 'set', 'openai', credential]],
    [['provider', 'set', 'openai', `--api-key=${credential}`]],
    [['provider', 'set', 'openai', '--api-key', credential]],
  ])('takes no credential as an argument, nor repeats it: %#', async (commandLine) => {
    const { exitCode, stdout, stderr } = await gateway.run(commandLine);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: [^\n]+ \(--help shows what there is\)\n$/);
    expect(stderr).not.toContain('0123456789');
  });

  it('refuses a name that no provider can have', async () => {
    const result = await gateway.run(['provider', 'set', 'OpenAI'], credential);

    expect(result).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: A provider name has lower-case letters, digits and hyphens, such as "openai"\n',
    });
  });
});

describe('provider list', () => {
  it('shows the built-in providers and those with a credential, without any', async () => {
    gateway.secretsManager.value = JSON.stringify({
      groq: { api_key: credential },
      'my-vllm': { api_key: 'short' },
    });

    const { exitCode, stdout } = await gateway.run(['provider', 'list', '--json']);

    expect(exitCode).toBe(0);
    const rows: { name: string }[] = JSON.parse(stdout);
    const row = (name: string) => rows.find((candidate) => candidate.name === name);
    expect(row('groq')).toMatchObject({ credential_set: true, last_four: 'wXyZ' });
    expect(row('openai')).toEqual({
      name: 'openai',
      credential_set: false,
      last_four: null,
      default_base_url: 'https://api.openai.com/v1',
    });
    expect(rows.at(-1)).toEqual({
      name: 'my-vllm',
      credential_set: true,
      last_four: null,
      default_base_url: null,
    });
    expect(stdout).not.toContain('short');
    expect(stdout).not.toContain('sk-proj');
  });

  it('is a table for people', async () => {
    gateway.secretsManager.value = JSON.stringify({ openai: { api_key: credential } });

    const { stdout } = await gateway.run(['provider', 'list']);

    expect(stdout).toMatch(/^PROVIDER +CREDENTIAL +ENDS IN +DEFAULT BASE URL\n/);
    expect(stdout).toMatch(/\nopenai +set +wXyZ +https:\/\/api\.openai\.com\/v1\n/);
    expect(stdout).toMatch(/\nbedrock +- +- +of the region\n/);
    expect(stdout).toMatch(/\nvllm +- +- +as configured\n/);
  });

  it('does not quote a secret that it cannot read', async () => {
    gateway.secretsManager.value = credential;

    const { exitCode, stderr } = await gateway.run(['provider', 'list']);

    expect(exitCode).toBe(1);
    expect(stderr).toBe('error: The secret of provider credentials does not hold JSON\n');
  });
});
