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

beforeAll(async () => {
  gateway = await startAdminFixture();
});

afterAll(async () => {
  await gateway?.stop();
});

afterEach(async () => {
  await cloudFormation?.stop();
  cloudFormation = undefined;
});

async function accountWith(response: FakeResponse): Promise<Record<string, string>> {
  cloudFormation = await startFakeAwsService(() => response);
  return accountEnvironment({ gateway, cloudFormation: cloudFormation.endpoint });
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
        'error: Stack "Production" was not found in eu-west-1: check --stack, --region and the AWS account\n',
    });
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

  it('fails when no region is configured', async () => {
    const environment = { ...(await accountWith(missingStack)), ...awsCredentials };

    const { exitCode, stderr } = await runAdminProcess(['org', 'list', '--stack', 'Production'], {
      environment,
    });

    expect(exitCode).toBe(1);
    expect(stderr).toBe('error: No AWS region is configured: pass --region REGION or set AWS_REGION\n');
  });

  it('fails when there are no AWS credentials', async () => {
    const environment = await accountWith(missingStack);

    const { exitCode, stderr } = await runAdminProcess(
      ['org', 'list', '--stack', 'Production', '--region', 'eu-west-1'],
      { environment },
    );

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'error: No AWS credentials were found: sign in (for example with "aws sso login") or set AWS_PROFILE\n',
    );
  });
});
