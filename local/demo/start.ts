/** The data that the local run itself stores: the demo organization, its API key and its owner. */
import type { Profile } from '#lambdas/accounts/members/profiles.ts';
import { createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { createAdministratorClient } from '../aws/administrator-client.ts';
import { readConnectionFile } from '../connection-file.ts';
import { administratorArn } from '../identities.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import type { RunContext } from '../run-context.ts';
import { type DemoAccess, ensureDemoAccess } from './access.ts';
import { makeFirstOwner } from './owner.ts';

export interface Demo extends DemoAccess {
  /** Expects a user who has just signed up. */
  welcome(user: Profile): Promise<void>;
}

/** Creates what is missing, as the administrator. */
export async function startDemo(request: {
  run: Pick<RunContext, 'region' | 'resources' | 'storeDirectory'>;
  /** Outputs of the stack. */
  outputs: Readonly<Record<string, string>>;
  awsEndpoint: string;
}): Promise<Demo> {
  const { run, outputs, awsEndpoint } = request;
  const administrator = createAdministratorClient({ endpoint: awsEndpoint, region: run.region });
  run.resources.defer(() => administrator.destroy());
  const client = createDocumentClient(administrator);
  const table = (output: string) => ({ client, tableName: readOutput(outputs, output) });
  const retentionDays = Number(readOutput(outputs, 'AuditRetentionDays'));
  const audit = createAuditTrail(
    { ...table('AuditTrailTableName'), retentionDays },
    { type: 'operator', id: administratorArn, name: null, email: null },
    () => new Date(),
  );
  const known = run.storeDirectory === undefined ? {} : readConnectionFile(run.storeDirectory);
  const directoryTable = table('DirectoryTableName');
  const access = await ensureDemoAccess(directoryTable, audit, {
    apiKey: known.api_key,
    organizationId: known.organization_id,
  });
  const { organizationId } = access;
  return {
    ...access,
    welcome: (user) =>
      makeFirstOwner({ accounts: table('AccountsTableName'), directoryTable }, audit, {
        organizationId,
        user,
      }),
  };
}

function readOutput(outputs: Readonly<Record<string, string>>, name: string): string {
  const value = outputs[name];
  if (value === undefined) throw new LocalGatewayError(`The stack has no output ${name}`);
  return value;
}
