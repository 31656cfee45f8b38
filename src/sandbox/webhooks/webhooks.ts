import { createIdCodec } from '../base/ids.js';
import { withoutZone } from '../base/iso-time.js';
import { createDraw } from '../base/random.js';
import type { Service } from '../service.js';
import { attemptDelivery } from './attempt-delivery.js';
import type { Delivery, ServiceEvent } from './delivery.js';
import { createDeliveryLog, type DeliveryLog } from './delivery-log.js';
import { createDispatcher, type Dispatcher } from './dispatcher.js';
import { createEndpoints, type Endpoint, type Endpoints } from './endpoints.js';
import { type EventSubject, eventData } from './event-subject.js';
import { createPoster } from './poster.js';

/** Everything between "it happened" and "the endpoint knows" (specification 6). */
export interface Webhooks {
  endpoints: Endpoints;
  log: DeliveryLog;
  /** To each active endpoint that subscribes to the type. */
  emit(eventType: string, subject: () => EventSubject): void;
  /** To this endpoint alone, whatever it subscribes to. */
  send(endpoint: Endpoint, eventType: string, subject: EventSubject): Delivery;
  idle: Dispatcher['idle'];
  close(): void;
}

export function createWebhooks(service: Service, seed: number): Webhooks {
  const { settings, clock } = service;
  const { deliveryConcurrency: concurrency, deliveryTimeoutMs: timeoutMs, retrySchedule } = settings;
  const endpoints = createEndpoints({ seed, now: () => clock.now() });
  const log = createDeliveryLog({ seed, keep: settings.keepDeliveries });
  const poster = createPoster({ timeoutMs, sockets: concurrency });
  const attempt = (delivery: Delivery): Promise<boolean> => attemptDelivery({ service, seed, poster }, delivery);
  const dispatcher = createDispatcher({ clock, concurrency, retrySchedule, attempt });
  const eventIds = createIdCodec(seed, 'evt');
  let events = 0;

  const freeze = (eventType: string, subject: EventSubject): ServiceEvent => {
    const number = events;
    events += 1;
    const { eventId: idPlace, shape, timesWithoutZone } = service.faults;
    const shown = eventData(subject, shape);
    const data = timesWithoutZone ? withoutZone(shown) : shown;
    return { number, id: eventIds.encode(number), type: eventType, data, references: subject.references, idPlace };
  };

  const dispatch = (endpoint: Endpoint, event: ServiceEvent, place = 0): Delivery => {
    const delivery = log.add(endpoint, event, clock.now());
    delivery.timestamp -= service.faults.stampApartSeconds * place;
    dispatcher.start(delivery, delayOf(service, seed, delivery.number));
    return delivery;
  };

  return {
    endpoints,
    log,
    emit(eventType, subject) {
      const subscribers = endpoints.subscribers(eventType);
      if (subscribers.length === 0) return;
      const event = freeze(eventType, subject());
      const { swallow } = service.faults;
      if (swallow > 0 && createDraw(seed, 'swallow')(event.number) < swallow) return;
      for (const [place, endpoint] of subscribers.entries()) dispatch(endpoint, event, place);
    },
    send: (endpoint, eventType, subject) => dispatch(endpoint, freeze(eventType, subject)),
    idle: () => dispatcher.idle(),
    close() {
      dispatcher.close();
      poster.close();
    },
  };
}

function delayOf({ faults }: Service, seed: number, n: number): number {
  const draw = (stream: string): number => createDraw(seed, stream)(n);
  if (faults.delay > 0 && draw('delay') < faults.delay) return faults.delaySeconds;
  if (faults.reorder > 0 && draw('reorder') < faults.reorder) return draw('reorder-by') * faults.reorderSeconds;
  return 0;
}
