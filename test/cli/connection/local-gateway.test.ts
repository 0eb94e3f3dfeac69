import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { startFakeAwsService } from '#test/support/fake-aws-service.ts';

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

describe('without a local gateway that answers', () => {
  it('the command says how to start one', async () => {
    const file = join(dataDirectory, 'local.json');

    expect(await listOrganizations()).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: There is no local gateway (${file} is missing): start it with "npm start", or name a deployed stack with --stack NAME\n`,
    });
  });

  it('the command names the address of one that is gone', async () => {
    const stopped = await startFakeAwsService(() => ({ body: '' }));
    await stopped.stop();
    const facts = {
      dynamodb_endpoint: stopped.endpoint,
      secretsmanager_endpoint: stopped.endpoint,
      sqs_endpoint: stopped.endpoint,
      region: 'us-east-1',
      outputs: {},
    };
    await writeFile(join(dataDirectory, 'local.json'), JSON.stringify(facts));

    expect(await listOrganizations()).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: The local gateway does not answer at ${stopped.endpoint}: start it with "npm start", or name a deployed stack with --stack NAME\n`,
    });
  });

  it.each([
    ['not JSON', '{"dynamodb_endpoint"'],
    ['not an object', 'null'],
    ['not complete', '{"dynamodb_endpoint":"http://127.0.0.1:1"}'],
  ])('the command says so when the facts are %s', async (_case, facts) => {
    await writeFile(join(dataDirectory, 'local.json'), facts);

    const { exitCode, stderr } = await listOrganizations();

    expect(exitCode).toBe(1);
    expect(stderr).toContain('is damaged: stop the local gateway and start it again\n');
  });
});
