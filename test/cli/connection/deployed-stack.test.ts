import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type AdministeredGateway,
  runAdminProcess,
  startAdministeredGateway,
} from '#test/support/admin-command.ts';
import { accountEnvironment, identity, stackWith } from '#test/support/fake-account.ts';
import {
  type FakeAwsService,
  type FakeResponse,
  startFakeAwsService,
} from '#test/support/fake-aws-service.ts';

let gateway: AdministeredGateway;
let cloudFormation: FakeAwsService | undefined;

beforeAll(async () => {
  gateway = await startAdministeredGateway();
});

afterAll(async () => {
  await gateway?.stop();
});

afterEach(async () => {
  await cloudFormation?.stop();
  cloudFormation = undefined;
});

async function accountWith(answer: FakeResponse): Promise<Record<string, string>> {
  cloudFormation = await startFakeAwsService(() => answer);
  return accountEnvironment({ gateway, cloudFormation: cloudFormation.endpoint });
}

const missingStack: FakeResponse = {
  status: 400,
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code>
    <Message>Stack with id Production does not exist</Message></Error></ErrorResponse>`,
};

describe('with --stack', () => {
  it("the commands use that stack's table and secret, in the region named", async () => {
    const environment = { ...(await accountWith(stackWith(gateway.outputs))), ...identity };
    const stack = ['--stack', 'Production', '--region', 'eu-west-1', '--json'];

    const created = await runAdminProcess(['org', 'create', '--name', 'Acme', ...stack], { environment });
    const set = await runAdminProcess(['provider', 'set', 'openai', ...stack], {
      environment,
      input: 'sk-1',
    });

    expect(created.stderr).toBe('');
    const organization = JSON.parse(created.stdout);
    expect(await gateway.directory.findOrganization(organization.id)).toEqual(organization);
    expect(set.exitCode).toBe(0);
    expect(gateway.secretsManager.value).toBe('{"openai":{"api_key":"sk-1"}}');
    expect(cloudFormation?.requests[0]?.body).toContain('StackName=Production');
  });

  it('a stack that is not there is named', async () => {
    const environment = { ...(await accountWith(missingStack)), ...identity };

    const result = await runAdminProcess(['org', 'list', '--stack', 'Production', '--region', 'eu-west-1'], {
      environment,
    });

    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'error: There is no stack "Production" in eu-west-1: check --stack, --region and the AWS account\n',
    });
  });

  it('a stack that is not a gateway is named', async () => {
    const environment = { ...(await accountWith(stackWith({ Other: 'x' }))), ...identity };

    const { exitCode, stderr } = await runAdminProcess(['org', 'list', '--stack', 'Production'], {
      environment: { ...environment, AWS_REGION: 'eu-west-1' },
    });

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'error: The stack "Production" has no output "DirectoryTableName": is it a gateway, and of this version?\n',
    );
  });

  it('a missing region is asked for', async () => {
    const environment = { ...(await accountWith(missingStack)), ...identity };

    const { exitCode, stderr } = await runAdminProcess(['org', 'list', '--stack', 'Production'], {
      environment,
    });

    expect(exitCode).toBe(1);
    expect(stderr).toBe('error: Which region is the stack in? Say --region REGION, or set AWS_REGION\n');
  });

  it('missing AWS credentials are asked for', async () => {
    const environment = await accountWith(missingStack);

    const { exitCode, stderr } = await runAdminProcess(
      ['org', 'list', '--stack', 'Production', '--region', 'eu-west-1'],
      { environment },
    );

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'error: There are no AWS credentials: sign in (aws sso login, say) or set AWS_PROFILE, then try again\n',
    );
  });
});
