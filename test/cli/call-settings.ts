/** Of processes that make calls and settle them, and read no payments. */
export function callSettings(service: { url: string }, database: { url: string }): Record<string, string> {
  return {
    SERVICE_BASE_URL: service.url,
    SERVICE_API_KEY: 'some-api-key',
    DATABASE_URL: database.url,
    SERVICE_RATE: '1000/s',
    METRICS_PORT: '0',
    RECONCILE_PAYMENT_INTENTS_CRON: 'off',
  };
}
