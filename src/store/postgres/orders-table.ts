/**
 * In a slot an order is carried out by one configuration. By another one an alert may be in another slot, which was through
 * with the order before the alert came to it.
 */
export const ORDERS = `
ALTER TABLE order_slots ADD COLUMN config integer NOT NULL DEFAULT 0;
ALTER TABLE order_slots DROP CONSTRAINT order_slots_pkey, ADD PRIMARY KEY (id, config, slot);
`;
