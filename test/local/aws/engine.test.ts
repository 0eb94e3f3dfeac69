import { afterEach, describe, expect, it, vi } from 'vitest';
import { startEngine } from '#local/aws/engine.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the engine', () => {
  it('is the one that the environment names', async () => {
    const engine = await startEngine({
      databasePath: undefined,
      environment: { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000/' },
      onUnexpectedExit: () => {},
    });

    expect(engine.endpoint).toBe('http://127.0.0.1:8000');
    await engine.stop();
  });

  it('says what to do where there is no program for the platform', async () => {
    vi.spyOn(process, 'platform', 'get').mockReturnValue('aix');
    const started = startEngine({ databasePath: undefined, environment: {}, onUnexpectedExit: () => {} });

    await expect(started).rejects.toThrow(
      /^The embedded DynamoDB \(npm package @dynoxide\/aix-\w+\) is not installed here: run "npm ci", or start DynamoDB Local yourself and set AWS_ENDPOINT_URL_DYNAMODB to its address$/,
    );
  });

  it('says why its program does not start', async () => {
    const started = startEngine({
      databasePath: '/proc/nowhere/dynamodb.sqlite',
      environment: {},
      onUnexpectedExit: () => {},
    });

    await expect(started).rejects.toThrow(/^The embedded DynamoDB does not start: .+/);
  });
});
