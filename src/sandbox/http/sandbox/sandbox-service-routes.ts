import { Router } from 'express';
import type { Account } from '../../account.js';
import { invalid } from '../../base/refusal.js';
import { defaultFaults, parseFaults } from '../../faults.js';
import { ledgerProblems } from '../../ledger/ledger-problems.js';
import { openapiDocument } from '../../openapi/openapi-document.js';
import type { Service } from '../../service.js';
import { writeTruth } from '../../truth.js';
import { requestBody } from '../parse-body.js';

/** Ten years: times must stay such as can be written. */
const LONGEST_JUMP = 10 * 366 * 86_400;

/** The emulator's own levers: its clock, its faults, and the truth to compare with. */
export function sandboxServiceRoutes(service: Service, account: Account): Router {
  const router = Router();
  const time = (): object => ({ now: new Date(service.clock.now()).toISOString() });

  router.get('/clock', (_request, response) => {
    response.json(time());
  });

  router.post('/clock', (request, response) => {
    const { advanceSeconds } = requestBody(request).body;
    if (typeof advanceSeconds !== 'number' || !(advanceSeconds >= 0 && advanceSeconds <= LONGEST_JUMP))
      throw invalid(`advanceSeconds must be a number from 0 to ${LONGEST_JUMP}`);
    service.clock.advance(advanceSeconds);
    response.json(time());
  });

  router.get('/faults', (_request, response) => {
    response.json(service.faults);
  });

  router.put('/faults', (request, response) => {
    const parsed = parseFaults(requestBody(request).body, defaultFaults(service.settings));
    if (!parsed.ok) throw invalid(parsed.problem);
    service.faults = parsed.faults;
    response.json(service.faults);
  });

  router.get('/ledger-problems', (_request, response) => {
    response.json(ledgerProblems(account.merchant));
  });

  router.get('/openapi.json', (_request, response) => {
    response.json(openapiDocument(service));
  });

  router.get('/truth', (request, response, next) => {
    const { changedBefore } = request.query;
    const before = typeof changedBefore === 'string' ? Date.parse(changedBefore) : Number.POSITIVE_INFINITY;
    if (Number.isNaN(before)) throw invalid('changedBefore must be an ISO 8601 time');
    response.type('application/json');
    writeTruth(service, account, before, response).then(() => response.end(), next);
  });

  return router;
}
