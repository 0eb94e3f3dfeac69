/** The dashboard: its page, the sign-in, and the function behind both. */

import { Construct } from 'constructs';
import type { GatewayRestApi } from '../api/rest-api.ts';
import { AccountsTable } from '../data/accounts-table.ts';
import type { Settings } from '../settings.ts';
import { CompanySignIn } from './company-sign-in.ts';
import { DashboardDistribution } from './distribution.ts';
import { PageBucket } from './page-bucket.ts';
import { PageDeployment } from './page-deployment.ts';
import { SessionFunction } from './session-function.ts';
import { SignUpFunction } from './sign-up-function.ts';
import { DashboardUserPool } from './user-pool.ts';
import { DashboardClient } from './user-pool-client.ts';

export interface DashboardProps {
  settings: Settings;
  restApi: GatewayRestApi;
}

export class Dashboard extends Construct {
  /** Values of stack outputs by name. */
  readonly outputs: Record<string, string>;

  constructor(scope: Construct, id: string, { settings, restApi }: DashboardProps) {
    super(scope, id);
    const { logRetentionDays: logRetention } = settings;
    const page = new PageBucket(this, 'Page', { logRetention });
    const site = new DashboardDistribution(this, 'Site', { settings, page, restApi });
    new PageDeployment(this, 'PageDeployment', {
      bucket: page,
      distribution: site.distribution,
      logRetention,
    });

    const signUp = new SignUpFunction(this, 'SignUp', settings);
    const userPool = new DashboardUserPool(this, 'UserPool', { settings, signUp });
    const provider = settings.identityProvider;
    const companySignIn =
      provider === null ? null : new CompanySignIn(this, 'CompanySignIn', { userPool, provider });
    const dashboardOrigin = site.origin;
    const client = new DashboardClient(this, 'Client', { userPool, dashboardOrigin, companySignIn });

    const accounts = new AccountsTable(this, 'Accounts');
    const session = new SessionFunction(this, 'Session', {
      settings,
      accounts,
      userPool,
      client,
      dashboardOrigin,
    });
    restApi.addDashboard(session);

    this.outputs = {
      DashboardUrl: dashboardOrigin,
      SignInUrl: userPool.signInOrigin,
      UserPoolId: userPool.userPoolId,
      AccountsTableName: accounts.tableName,
      // For the DNS record of an own domain.
      ...(settings.dashboardDomain !== null && {
        DashboardDistributionDomain: site.distribution.distributionDomainName,
      }),
    };
  }
}
