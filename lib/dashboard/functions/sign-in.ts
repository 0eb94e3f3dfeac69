import type { Construct } from 'constructs';
import type { AccountsTable } from '#lib/data/accounts-table.ts';
import type { AuditTrailTable } from '#lib/data/audit-trail-table.ts';
import type { DirectoryTable } from '#lib/data/tables.ts';
import { GatewayFunction } from '#lib/functions/gateway-function.ts';
import { responseTimeout } from '#lib/functions/limits.ts';
import type { Settings } from '#lib/settings/settings.ts';
import type { DashboardUserPool } from '../user-pool.ts';
import type { DashboardClient } from '../user-pool-client.ts';
import { identityProviderVariable } from './identity-provider-variable.ts';

interface SignInFunctionProps {
  settings: Settings;
  accounts: AccountsTable;
  directory: DirectoryTable;
  auditTrail: AuditTrailTable;
  userPool: DashboardUserPool;
  client: DashboardClient;
  /** Without a trailing slash. */
  dashboardOrigin: string;
}

/** Signs people in and out, and shows and changes their account with their own access tokens. */
export class SignInFunction extends GatewayFunction {
  constructor(scope: Construct, id: string, props: SignInFunctionProps) {
    const { settings, accounts, directory, auditTrail, userPool, client, dashboardOrigin } = props;
    super(scope, id, {
      entry: 'accounts/sign-in/sign-in.lambda.ts',
      description: 'Signs people in to the dashboard and shows their account',
      timeout: responseTimeout,
      memoryMb: 512,
      settings,
    });
    this.addEnvironment('DASHBOARD_ORIGIN', dashboardOrigin);
    this.addEnvironment('USER_POOL_ID', userPool.userPoolId);
    this.addEnvironment('USER_POOL_CLIENT_ID', client.userPoolClientId);
    this.addEnvironment('TOKEN_ISSUER', userPool.userPoolProviderUrl);
    this.addEnvironment('SIGN_IN_ORIGIN', userPool.signInOrigin);
    this.addEnvironment('SIGN_UP', settings.signUp);
    this.addEnvironment('ORGANIZATION_CREATORS', JSON.stringify(settings.organizationCreators));
    this.addEnvironment('REQUIRE_MFA', String(settings.requireMfa));
    this.addEnvironment('IDENTITY_PROVIDER', identityProviderVariable(settings));
    accounts.grantManage(this);
    directory.grantFind(this);
    auditTrail.grantRecord(this);
    // Reads the secret of the client, so that it is stored nowhere else.
    this.allow({ actions: ['cognito-idp:DescribeUserPoolClient'], resources: [userPool.userPoolArn] });
  }
}
