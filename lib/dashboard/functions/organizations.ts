import type { Construct } from 'constructs';
import type { AccountsTable } from '#lib/data/accounts-table.ts';
import type { AuditTrailTable } from '#lib/data/audit-trail-table.ts';
import type { BudgetCountersTable, CostRollupsTable, DirectoryTable } from '#lib/data/tables.ts';
import { GatewayFunction } from '#lib/functions/gateway-function.ts';
import { fullCpuMemoryMb, responseTimeout } from '#lib/functions/limits.ts';
import type { Settings } from '#lib/settings/settings.ts';
import { grantSendMail } from './send-mail.ts';

interface OrganizationsFunctionProps {
  settings: Settings;
  accounts: AccountsTable;
  directory: DirectoryTable;
  budgetCounters: BudgetCountersTable;
  costRollups: CostRollupsTable;
  auditTrail: AuditTrailTable;
  /** Without a trailing slash, like `apiBaseUrl`. */
  dashboardOrigin: string;
  apiBaseUrl: string;
}

/** Shows and changes organizations, their members, API keys, budgets and rate limits. */
export class OrganizationsFunction extends GatewayFunction {
  constructor(scope: Construct, id: string, props: OrganizationsFunctionProps) {
    const { settings, dashboardOrigin, apiBaseUrl } = props;
    super(scope, id, {
      entry: 'accounts/organizations/organizations.lambda.ts',
      description:
        'Manages organizations, their members, API keys, budgets and rate limits for the dashboard',
      timeout: responseTimeout,
      // A whole processor: a search reads all active keys, which may be 10,000, and responds within a second.
      memoryMb: fullCpuMemoryMb,
      settings,
    });
    this.addEnvironment('DASHBOARD_ORIGIN', dashboardOrigin);
    this.addEnvironment('API_BASE_URL', apiBaseUrl);
    this.addEnvironment('ORGANIZATION_CREATORS', JSON.stringify(settings.organizationCreators));
    this.addEnvironment('ENTRY_RETENTION_DAYS', String(settings.entryRetentionDays));
    if (settings.mailFrom === null) {
      // Without a sender, invitations are only links.
      this.addEnvironment('MAIL_FROM', '');
    } else {
      grantSendMail(this, settings.mailFrom);
    }
    props.accounts.grantManageMembers(this);
    props.directory.grantManage(this);
    props.budgetCounters.grantList(this);
    props.costRollups.grantQuery(this);
    props.auditTrail.grantRecordAndRead(this);
  }
}
