import type { Construct } from 'constructs';
import { testRequestTimeout } from '#lib/api/dashboard-routes.ts';
import type { AccountsTable } from '#lib/data/accounts-table.ts';
import { GatewayFunction } from '#lib/functions/gateway-function.ts';
import { flushMsOf, type Settings } from '#lib/settings/settings.ts';

interface TestRequestFunctionProps {
  settings: Settings;
  accounts: AccountsTable;
  /** Without a trailing slash, like `apiBaseUrl`. */
  dashboardOrigin: string;
  apiBaseUrl: string;
}

/**
 * Sends requests to the gateway with an API key that the page passes on, since the page itself may only call its own
 * origin. The target is fixed, and the key is neither stored nor logged.
 */
export class TestRequestFunction extends GatewayFunction {
  constructor(scope: Construct, id: string, props: TestRequestFunctionProps) {
    super(scope, id, {
      entry: 'accounts/test-request/test-request.lambda.ts',
      description: 'Sends test requests with new API keys for the dashboard',
      timeout: testRequestTimeout,
      settings: props.settings,
    });
    this.addEnvironment('DASHBOARD_ORIGIN', props.dashboardOrigin);
    this.addEnvironment('API_BASE_URL', props.apiBaseUrl);
    this.addEnvironment('STREAM_FLUSH_MS', String(flushMsOf(props.settings)));
    props.accounts.grantFindSession(this);
  }
}
