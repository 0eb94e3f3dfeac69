/** The dashboard: its page, the sign-in, and the functions behind both. */

import { Construct } from 'constructs';
import type { GatewayRestApi } from '../api/rest-api.ts';
import { AccountsTable } from '../data/accounts-table.ts';
import type { AuditTrailTable } from '../data/audit-trail-table.ts';
import type { ProviderSecret } from '../data/provider-secret.ts';
import type {
  BudgetCountersTable,
  CostRollupsTable,
  DirectoryTable,
  LogEntriesTable,
  PricesTable,
} from '../data/tables.ts';
import type { GatewayFunction } from '../functions/gateway-function.ts';
import type { Settings } from '../settings/settings.ts';
import { CompanySignIn } from './company-sign-in.ts';
import { DashboardDistribution } from './distribution.ts';
import { AnalyticsFunction } from './functions/analytics.ts';
import { BudgetMail } from './functions/budget-mail.ts';
import { KeyRevocations } from './functions/key-revocations.ts';
import { OrganizationsFunction } from './functions/organizations.ts';
import { SignInFunction } from './functions/sign-in.ts';
import { SignUpFunction } from './functions/sign-up.ts';
import { TestRequestFunction } from './functions/test-request.ts';
import { PageBucket } from './page-bucket.ts';
import { PageDeployment } from './page-deployment.ts';
import { DashboardUserPool } from './user-pool.ts';
import { DashboardClient } from './user-pool-client.ts';

interface DashboardProps {
  settings: Settings;
  restApi: GatewayRestApi;
  directory: DirectoryTable;
  logEntries: LogEntriesTable;
  budgetCounters: BudgetCountersTable;
  costRollups: CostRollupsTable;
  prices: PricesTable;
  auditTrail: AuditTrailTable;
  providerSecret: ProviderSecret;
}

export class Dashboard extends Construct {
  readonly accounts: AccountsTable;
  /** Counts refused sign-ups and sign-ins among its errors, since Cognito learns of them from an error. */
  readonly signUp: GatewayFunction;
  readonly keyRevocations: GatewayFunction;
  /** The others. */
  readonly functions: readonly GatewayFunction[];
  /** Values of stack outputs by name. */
  readonly outputs: Record<string, string>;

  constructor(scope: Construct, id: string, props: DashboardProps) {
    super(scope, id);
    const { settings, restApi, ...data } = props;
    const { logRetentionDays: logRetention, mailFrom } = settings;
    const page = new PageBucket(this, 'Page', { logRetention });
    const site = new DashboardDistribution(this, 'Site', { settings, page, restApi });
    new PageDeployment(this, 'PageDeployment', { bucket: page, logRetention });

    const accounts = new AccountsTable(this, 'Accounts');
    this.accounts = accounts;
    const signUp = new SignUpFunction(this, 'SignUp', { settings, accounts });
    this.signUp = signUp;
    const userPool = new DashboardUserPool(this, 'UserPool', { settings, signUp });
    const provider = settings.identityProvider;
    const companySignIn =
      provider === null ? null : new CompanySignIn(this, 'CompanySignIn', { userPool, provider });
    const dashboardOrigin = site.origin;
    const client = new DashboardClient(this, 'Client', { userPool, dashboardOrigin, companySignIn });

    const common = { settings, accounts, dashboardOrigin };
    const { baseUrl: apiBaseUrl } = restApi;
    const apiFunctions = {
      signIn: new SignInFunction(this, 'Session', { ...common, ...data, userPool, client }),
      organizations: new OrganizationsFunction(this, 'Organizations', { ...common, ...data, apiBaseUrl }),
      analytics: new AnalyticsFunction(this, 'Analytics', { ...common, ...data }),
      testRequest: new TestRequestFunction(this, 'TestRequest', { ...common, apiBaseUrl }),
    };
    restApi.addDashboard(apiFunctions);
    const budgetMail =
      mailFrom === null ? [] : [new BudgetMail(this, 'BudgetMail', { ...common, ...data, mailFrom })];
    this.keyRevocations = new KeyRevocations(this, 'KeyRevocations', {
      ...common,
      ...data,
    }).function;
    this.functions = [
      signUp,
      ...Object.values(apiFunctions),
      ...budgetMail.map((construct) => construct.function),
    ];

    this.outputs = {
      DashboardUrl: dashboardOrigin,
      SignInUrl: userPool.signInOrigin,
      UserPoolId: userPool.userPoolId,
      AccountsTableName: accounts.tableName,
      // For `org invite`, which sends the same mail as the page.
      ...(mailFrom !== null && { MailFrom: mailFrom }),
      // For the DNS record of an own domain.
      ...(settings.dashboardDomain !== null && {
        DashboardDistributionDomain: site.distribution.distributionDomainName,
      }),
    };
  }
}
