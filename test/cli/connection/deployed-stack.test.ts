import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AdminFixture, runAdminProcess, startAdminFixture } from '#test/support/admin-command.ts';
import {
  accountEnvironment,
  awsCredentials,
  describeStacksResponse,
} from '#test/support/aws/fake-account.ts';
import {
  type FakeAwsService,
  type FakeResponse,
  startFakeAwsService,
} from '#test/support/aws/fake-service.ts';
import { operatorArn } from '#test/support/aws/fake-sts.ts';

let gateway: AdminFixture;
let cloudFormation: FakeAwsService | undefined;
let directory: string;

beforeAll(async () => {
  gateway = await startAdminFixture();
  directory = await mkdtemp(join(tmpdir(), 'aws-config-'));
});

afterAll(async () => {
  await gateway?.stop();
  await rm(directory, { recursive: true });
});

afterEach(async () => {
  await cloudFormation?.stop();
  cloudFormation = undefined;
});

async function accountWith(response: FakeResponse): Promise<Record<string, string>> {
  cloudFormation = await startFakeAwsService(() => response);
  return accountEnvironment({ gateway, cloudFormation: cloudFormation.endpoint });
}

/** Returns the path of AWS's config file. */
async function writeConfig(...lines: string[]): Promise<string> {
  const file = join(directory, 'config');
  await writeFile(file, lines.join('\n'));
  return file;
}

const missingStack: FakeResponse = {
  status: 400,
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code>
    <Message>Stack with id Production does not exist</Message></Error></ErrorResponse>`,
};

describe('connectToStack', () => {
  it('uses the tables and the secret of the stack in the given region', async () => {
    const environment = {
      ...(await accountWith(describeStacksResponse(gateway.outputs))),
      ...awsCredentials,
    };
    const stack = ['--stack', 'Production', '--region', 'eu-west-1', '--json'];

    const created = await runAdminProcess(['org', 'create', '--name', 'Acme', ...stack], { environment });
    const set = await runAdminProcess(['provider', 'set', 'openai', ...stack], {
      environment,
      input: 'sk-1',
    });

    expect(created.stderr).toBe('');
    const organization = JSON.parse(created.stdout);
    const { id, name } = organization;
    expect(await gateway.directory.findOrganization(id)).toMatchObject({ id, name });
    const [recorded] = await gateway.audit.records(id);
    expect(recorded?.actor).toEqual({ type: 'operator', id: operatorArn, name: null, email: null });
    expect(set.exitCode).toBe(0);
    expect(gateway.secretsManager.value).toBe('{"openai":{"api_key":"sk-1"}}');
    expect(cloudFormation?.requests[0]?.body).toContain('StackName=Production');
  });

  it('fails with the name of a stack that does not exist', async () => {
    const environment = { ...(await accountWith(missingStack)), ...awsCredentials };

    const result = await runAdminProcess(['org', 'list', '--stack', 'Production', '--region', 'eu-west-1'], {
      environment,
    });

    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'error: Stack "Production" was not found in eu-west-1 (--region): check --stack, --region, --profile and the AWS account\n',
    });
  });

  it('uses the region and the credentials of a profile for every service', async () => {
    const environment = {
      ...(await accountWith(describeStacksResponse(gateway.outputs))),
      AWS_CONFIG_FILE: await writeConfig(
        '[profile work]',
        'region = eu-west-3',
        'aws_access_key_id = work-key',
        'aws_secret_access_key = secret',
      ),
    };

    const { exitCode, stderr } = await runAdminProcess(
      ['provider', 'set', 'openai', '--stack', 'Production', '--profile', 'work'],
      { environment, input: 'sk-2' },
    );

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const last = [cloudFormation, gateway.sts, gateway.secretsManager].map(
      (service) => service?.requests.at(-1)?.authorization,
    );
    const scope = (service: string) =>
      expect.stringMatching(`Credential=work-key/\\d{8}/eu-west-3/${service}/aws4_request`);
    expect(last).toEqual([scope('cloudformation'), scope('sts'), scope('secretsmanager')]);
  });

  it('fails with the name of a stack that is not a gateway', async () => {
    const environment = { ...(await accountWith(describeStacksResponse({ Other: 'x' }))), ...awsCredentials };

    const { exitCode, stderr } = await runAdminProcess(['org', 'list', '--stack', 'Production'], {
      environment: { ...environment, AWS_REGION: 'eu-west-1' },
    });

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'error: Stack "Production" has no output "DirectoryTableName": check that it is a gateway stack deployed with this version\n',
    );
  });

  it("looks in the CDK's default region when no region is configured", async () => {
    const environment = { ...(await accountWith(missingStack)), ...awsCredentials };

    const { exitCode, stderr } = await runAdminProcess(['org', 'list', '--stack', 'Production'], {
      environment,
    });

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'error: Stack "Production" was not found in us-east-1 (the CDK\'s default): check --stack, --region, --profile and the AWS account\n',
    );
  });

  it.each([
    [
      [],
      'No valid AWS credentials were found. Sign in, for example with "aws sso login", or select another profile with --profile',
    ],
    [
      ['--profile', 'default'],
      'The AWS profile "default" has no valid credentials. Sign in, for example with "aws sso login --profile default", or select another profile with --profile',
    ],
  ])('fails when there are no AWS credentials with the options %j', async (options, message) => {
    const environment = {
      ...(await accountWith(missingStack)),
      AWS_CONFIG_FILE: await writeConfig('[default]', 'region = eu-west-1'),
    };

    const { exitCode, stderr } = await runAdminProcess(['org', 'list', '--stack', 'Production', ...options], {
      environment,
    });

    expect(exitCode).toBe(1);
    expect(stderr).toBe(`error: ${message}\n`);
  });
});
