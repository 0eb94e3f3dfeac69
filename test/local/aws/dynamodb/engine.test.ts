import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startEngine } from '#local/aws/dynamodb/engine.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('startEngine', () => {
  it('uses the endpoint of the environment', async () => {
    const engine = await startEngine({
      databasePath: undefined,
      environment: { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000/' },
      onUnexpectedExit: () => {},
    });

    expect(engine.endpoint).toBe('http://127.0.0.1:8000');
    await engine.stop();
  });

  it('does not keep its process alive after unref, and ends with it', async () => {
    const program = `
      import { startEngine } from '#local/aws/dynamodb/engine.ts';
      const engine = await startEngine({ databasePath: undefined, environment: {}, onUnexpectedExit: () => {} });
      engine.unref();
      console.log(engine.endpoint);`;

    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { timeout: 60_000 },
    );

    const isUnreachable = () =>
      fetch(stdout.trim()).then(
        () => false,
        () => true,
      );
    await expect.poll(isUnreachable).toBe(true);
  });

  it('explains what to do on a platform without an embedded engine', async () => {
    vi.spyOn(process, 'platform', 'get').mockReturnValue('aix');
    const started = startEngine({ databasePath: undefined, environment: {}, onUnexpectedExit: () => {} });

    await expect(started).rejects.toThrow(
      /^The embedded DynamoDB \(npm package @dynoxide\/aix-\w+\) is not installed: run "npm ci", or start DynamoDB Local and set AWS_ENDPOINT_URL_DYNAMODB to its endpoint$/,
    );
  });

  it('reports why the embedded engine failed to start', async () => {
    const started = startEngine({
      databasePath: join(import.meta.filename, 'dynamodb.sqlite'),
      environment: {},
      onUnexpectedExit: () => {},
    });

    await expect(started).rejects.toThrow(/^The embedded DynamoDB failed to start: .+/);
  });
});
