import io.mely.*;

public class Hello {
    record Deposit(int account, long cents) {}

    public static void main(String[] args) {
        long[] balance = new long[10]; // no lock: one color per account
        try (Mely mely = Mely.builder().build().start()) {
            Stage<Deposit> deposit = mely.stage("deposit", d -> balance[d.account()] += d.cents());
            for (int i = 0; i < 1_000_000; i++) {
                if (!deposit.offer(mely.color(i % 10), new Deposit(i % 10, 1))) {
                    throw new IllegalStateException("full"); // 4,194,304 events pending: offer() never waits
                }
            }
        } // close() runs what is pending
        System.out.println(java.util.Arrays.toString(balance)); // ten times 100000
    }
}
