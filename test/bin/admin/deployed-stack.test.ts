import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type AdministeredGateway,
  runAdminCommand,
  startAdministeredGateway,
} from '../../support/admin-command.ts';
import { type FakeAnswer, type FakeAwsService, startFakeAwsService } from '../../support/fake-aws-service.ts';

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

/** An AWS account without a home directory, so that no configuration of this machine plays a part. */
async function accountWith(answer: FakeAnswer): Promise<Record<string, string>> {
  cloudFormation = await startFakeAwsService(() => answer);
  return {
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: gateway.database.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: gateway.secretsManager.endpoint,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  };
}

const identity = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };

function stackWith(outputs: Record<string, string>): FakeAnswer {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return {
    body: `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult>
      <Stacks><member><StackName>Production</StackName><StackStatus>CREATE_COMPLETE</StackStatus>
      <CreationTime>2026-01-01T00:00:00.000Z</CreationTime><Outputs>${members.join('')}</Outputs></member></Stacks>
      </DescribeStacksResult></DescribeStacksResponse>`,
  };
}

const missingStack: FakeAnswer = {
  status: 400,
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code>
    <Message>Stack with id Production does not exist</Message></Error></ErrorResponse>`,
};

describe('with --stack', () => {
  it("the commands use that stack's table and secret, in the region named", async () => {
    const environment = { ...(await accountWith(stackWith(gateway.outputs))), ...identity };
    const stack = ['--stack', 'Production', '--region', 'eu-west-1', '--json'];

    const created = await runAdminCommand(['org', 'create', '--name', 'Acme', ...stack], { environment });
    const set = await runAdminCommand(['provider', 'set', 'openai', ...stack], {
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

    const result = await runAdminCommand(['org', 'list', '--stack', 'Production', '--region', 'eu-west-1'], {
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

    const { exitCode, stderr } = await runAdminCommand(['org', 'list', '--stack', 'Production'], {
      environment: { ...environment, AWS_REGION: 'eu-west-1' },
    });

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'error: The stack "Production" has no output "DirectoryTableName": is it a gateway, and of this version?\n',
    );
  });

  it('a missing region is asked for', async () => {
    const environment = { ...(await accountWith(missingStack)), ...identity };

    const { exitCode, stderr } = await runAdminCommand(['org', 'list', '--stack', 'Production'], {
      environment,
    });

    expect(exitCode).toBe(1);
    expect(stderr).toBe('error: Which region is the stack in? Say --region REGION, or set AWS_REGION\n');
  });

  it('missing AWS credentials are asked for', async () => {
    const environment = await accountWith(missingStack);

    const { exitCode, stderr } = await runAdminCommand(
      ['org', 'list', '--stack', 'Production', '--region', 'eu-west-1'],
      { environment },
    );

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'error: There are no AWS credentials: sign in (aws sso login, say) or set AWS_PROFILE, then try again\n',
    );
  });
});
