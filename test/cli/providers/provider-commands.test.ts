import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';

const credential = 'sk-proj-0123456789-wXyZ';

let gateway: AdminFixture;

beforeAll(async () => {
  gateway = await startAdminFixture();
});

afterAll(async () => {
  await gateway?.stop();
});

beforeEach(() => {
  gateway.secretsManager.value = '{}';
});

describe('provider set', () => {
  it('stores the piped credential and prints only its last four characters', async () => {
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

  it('keeps other credentials and other fields of the same provider', async () => {
    gateway.secretsManager.value =
      '{"groq":{"api_key":"gsk-1"},"openai":{"api_key":"old","organization":"acme"}}';

    await gateway.run(['provider', 'set', 'openai'], credential);

    expect(gateway.secretsManager.value).toBe(
      `{"groq":{"api_key":"gsk-1"},"openai":{"api_key":"${credential}","organization":"acme"}}`,
    );
  });

  it('prints a note on standard error for a provider that is not built in', async () => {
    const { exitCode, stdout, stderr } = await gateway.run(['provider', 'set', 'my-vllm'], credential);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/\nmy-vllm +set +wXyZ +\(from settings\)\n$/);
    expect(stderr).toBe(
      'note: provider "my-vllm" is not built in: set its base URL in the "providers" setting of the gateway\n',
    );
  });

  it.each([
    ['empty input', ''],
    ['an empty line', '\n'],
    ['two lines', `${credential}\n${credential}\n`],
    ['a space inside', 'sk-proj 0123456789'],
  ])('rejects %s without printing it', async (_case, input) => {
    const { exitCode, stdout, stderr } = await gateway.run(['provider', 'set', 'openai'], input);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: (No credential was received|The credential is invalid)[^\n]*\n$/);
    expect(stderr).not.toContain('sk-proj');
    expect(gateway.secretsManager.value).toBe('{}');
  });

  it.each([
    [['provider', 'set', 'openai', credential]],
    [['provider', 'set', 'openai', `--api-key=${credential}`]],
    [['provider', 'set', 'openai', '--api-key', credential]],
  ])('rejects a credential in the arguments without printing it (case %#)', async (commandLine) => {
    const { exitCode, stdout, stderr } = await gateway.run(commandLine);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: [^\n]+ \(see --help\)\n$/);
    expect(stderr).not.toContain('0123456789');
  });

  it('rejects an invalid provider name', async () => {
    const result = await gateway.run(['provider', 'set', 'OpenAI'], credential);

    expect(result).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'error: The provider name is invalid: use lower-case letters, digits and hyphens, as in "openai"\n',
    });
  });

  it('rejects the name of routes', async () => {
    expect(await gateway.run(['provider', 'set', 'route'], credential)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: No provider can have the name "route", since route/NAME names a route\n',
    });
  });
});

describe('provider list', () => {
  it('lists built-in providers and providers with a credential without printing credentials', async () => {
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

  it('prints a table without --json', async () => {
    gateway.secretsManager.value = JSON.stringify({ openai: { api_key: credential } });

    const { stdout } = await gateway.run(['provider', 'list']);

    expect(stdout).toMatch(/^PROVIDER +CREDENTIAL +ENDS IN +DEFAULT BASE URL\n/);
    expect(stdout).toMatch(/\nopenai +set +wXyZ +https:\/\/api\.openai\.com\/v1\n/);
    expect(stdout).toMatch(/\nbedrock +- +- +\(depends on region\)\n/);
    expect(stdout).toMatch(/\nvllm +- +- +\(from settings\)\n/);
  });

  it('does not print a secret that is not JSON', async () => {
    gateway.secretsManager.value = credential;

    const { exitCode, stderr } = await gateway.run(['provider', 'list']);

    expect(exitCode).toBe(1);
    expect(stderr).toBe('error: The secret with the provider credentials is not valid JSON\n');
  });
});
