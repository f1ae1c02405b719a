// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.planted;

import io.mely.Color;
import io.mely.Handler;
import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A program to be analysed, with each trap of the analysis. It is compiled, and in part run. */
public final class Shop {
    static final int INPUT_BYTES = 4 << 10;
    private static final int SPARE = 64;

    final ByteBufAllocator allocator;
    private final Till till;
    private final Stage<Order> read;
    private final Stage<Order> parse;
    private final Stage<Order> write;
    private final Stage<Order> close;
    private final List<Stage<Order>> others = new ArrayList<>();
    private ByteBuf ledger;

    /** An order; it carries its buffers from stage to stage. */
    public static final class Order {
        final Color color;
        public ByteBuf input;
        public ByteBuf head;
        public ByteBuf line;
        public ByteBuf seal;

        Order(Color color) {
            this.color = color;
        }
    }

    /** Names of stages, by constants of an enum. */
    enum Name {
        PARSE("Parse"),
        CLOSE("Close");

        private final String label;

        Name(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    /** Of which there is one class. */
    interface Pool {
        ByteBuf take(int bytes);
    }

    /** That class. */
    record OnlyPool(ByteBufAllocator allocator) implements Pool {
        @Override
        public ByteBuf take(int bytes) {
            return allocator.buffer(bytes);
        }
    }

    /** A handler that is a class. */
    static final class Writer implements Handler<Order> {
        private final Shop shop;

        Writer(Shop shop) {
            this.shop = shop;
        }

        @Override
        public void handle(Order order) {
            order.head.release();
            shop.till.print(order);
            shop.finish(order); // also the handler of Close
        }
    }

    public Shop(Mely mely, ByteBufAllocator allocator) {
        this.allocator = allocator;
        till = new Till(allocator, SPARE * 2);
        read = mely.stage("Read", this::read);
        parse = make(mely, Name.PARSE, this::parse);
        write = mely.stage("Write", StageOptions.defaults(), new Writer(this));
        Stage<Order> log = mely.stage("Log", order -> {
            this.ledger = keep();
            renew(order);
            tell(0, order);
        });
        others.add(log);
        close = make(mely, Name.CLOSE, order -> {
            finish(order);
            log.offer(order.color, order);
        });
    }

    /** Makes a stage of what it is given. */
    private static Stage<Order> make(Mely mely, Name name, Handler<Order> handler) {
        return mely.stage(name.label(), handler);
    }

    /** Sends to what it is given. */
    private static void send(Stage<Order> stage, Order order) {
        stage.offer(order.color, order);
    }

    private Stage<Order> parser() {
        return parse;
    }

    private void read(Order order) {
        nest(order, 3);
        order.color.execute(() -> send(parser(), order));
    }

    /** Frees what it was given, and leaves another one; and what it uses itself. */
    private void renew(Order order) {
        order.seal.release();
        order.seal = allocator.buffer(33);
        ByteBuf own = allocator.buffer(22);
        own.writeInt(1);
        own.release();
    }

    /** Allocates as often as it calls itself. */
    private void nest(Order order, int depth) {
        if (depth > 0) {
            order.line = allocator.buffer(48);
            nest(order, depth - 1);
        }
    }

    /** Sends itself until all has come; the first time it takes a buffer. */
    public void parse(Order order) {
        if (order.input == null) {
            order.input = allocator.buffer(INPUT_BYTES);
        }
        if (order.input.isWritable()) {
            send(parse, order);
            return;
        }
        order.head = small(SPARE + 8);
        each(order, ready -> write.offer(ready.color, ready));
        order.input.release();
    }

    /** A way to allocate: its callers are the sites. */
    private ByteBuf small(int bytes) {
        return allocator.directBuffer(bytes, bytes);
    }

    private static void each(Order order, Consumer<Order> action) {
        action.accept(order);
    }

    private void finish(Order order) {
        if (order.line != null) {
            order.line.release();
        }
        close.offer(order.color, order);
    }

    /** Never released. */
    private ByteBuf keep() {
        return small(100);
    }

    /** Of whom nobody can tell to whom it sends. */
    void tell(int which, Order order) {
        others.get(which).offer(order.color, order);
    }

    /** Of whom nobody can tell how much it allocates. */
    ByteBuf heap(String text) {
        return allocator.heapBuffer(text.length());
    }

    /** Through an interface. */
    ByteBuf pooled(Pool pool) {
        return pool.take(77);
    }

    public ByteBuf ledger() {
        return ledger;
    }

    /** Runs what allocates, without a runtime. */
    public static List<ByteBuf> run(ByteBufAllocator allocator) {
        Shop shop = new Shop(allocator);
        Order order = new Order(null);
        shop.till.print(order);
        return List.of(shop.small(40), shop.keep(), order.line);
    }

    private Shop(ByteBufAllocator allocator) {
        this.allocator = allocator;
        till = new Till(allocator, SPARE);
        read = null;
        parse = null;
        write = null;
        close = null;
    }
}
