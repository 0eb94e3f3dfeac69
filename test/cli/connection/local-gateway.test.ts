import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { startFakeAwsService } from '#test/support/aws/fake-service.ts';

let dataDirectory: string;

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'gateway-admin-'));
});

afterEach(async () => {
  await rm(dataDirectory, { recursive: true });
});

function listOrganizations() {
  return runAdminCommand(['org', 'list'], { environment: { GATEWAY_DATA_DIRECTORY: dataDirectory } });
}

describe('connectToLocalGateway', () => {
  it('explains how to start a gateway when none is running', async () => {
    const file = join(dataDirectory, 'local.json');

    expect(await listOrganizations()).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: No local gateway was found (${file} does not exist): start it with "npm start", or select a deployed stack with --stack NAME\n`,
    });
  });

  it('reports the address of a gateway that does not respond', async () => {
    const stopped = await startFakeAwsService(() => ({ body: '' }));
    await stopped.stop();
    const info = {
      dynamodb_endpoint: stopped.endpoint,
      secretsmanager_endpoint: stopped.endpoint,
      sqs_endpoint: stopped.endpoint,
      sts_endpoint: stopped.endpoint,
      ses_endpoint: stopped.endpoint,
      region: 'us-east-1',
      outputs: {},
    };
    await writeFile(join(dataDirectory, 'local.json'), JSON.stringify(info));

    expect(await listOrganizations()).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: The local gateway does not respond at ${stopped.endpoint}: start it with "npm start", or select a deployed stack with --stack NAME\n`,
    });
  });

  it.each([
    ['not JSON', '{"dynamodb_endpoint"'],
    ['not an object', 'null'],
    ['incomplete', '{"dynamodb_endpoint":"http://127.0.0.1:1"}'],
  ])('fails when local.json is %s', async (_case, content) => {
    await writeFile(join(dataDirectory, 'local.json'), content);

    const { exitCode, stderr } = await listOrganizations();

    expect(exitCode).toBe(1);
    expect(stderr).toContain('is invalid: restart the local gateway\n');
  });
});
